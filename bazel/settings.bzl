# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

"""The flags of the build, and the headers that depend on them."""

load(":config.bzl", "EXPORT_MACROS", "config_macros", "features_of_flags", "substitutions")

_FlagInfo = provider(doc = "The value of a flag.", fields = ["value"])

def _bool_flag_impl(ctx):
    return _FlagInfo(value = ctx.build_setting_value)

bool_flag = rule(
    doc = "A flag of the command line: --@vesta//:NAME or --@vesta//:NAME=false.",
    implementation = _bool_flag_impl,
    build_setting = config.bool(flag = True),
)

def _configured_headers_impl(ctx):
    flags = {flag.label.name: flag[_FlagInfo].value for flag in ctx.attr.flags}
    macros = dict(config_macros(features_of_flags(flags)))
    macros.update(EXPORT_MACROS)
    outputs = []
    for template in ctx.files.templates:
        output = ctx.actions.declare_file("%s/%s" % (ctx.attr.folder, template.basename[:-len(".in")]))
        ctx.actions.expand_template(template = template, output = output, substitutions = substitutions(macros))
        outputs.append(output)
    return DefaultInfo(files = depset(outputs))

configured_headers = rule(
    doc = "The headers that CMake's configure_file makes of `templates`, in `folder`.",
    implementation = _configured_headers_impl,
    attrs = {
        "flags": attr.label_list(providers = [_FlagInfo]),
        "folder": attr.string(),
        "templates": attr.label_list(allow_files = [".in"]),
    },
)
