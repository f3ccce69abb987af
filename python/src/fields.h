// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Plain structs of the API as Python classes. One table of fields per struct
// gives attributes, docstrings, to_dict, __repr__, __eq__, copy and pickle.

#ifndef VESTA_PYTHON_FIELDS_H_
#define VESTA_PYTHON_FIELDS_H_

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "common.h"
#include "enums.h"

namespace vesta::python {

// The Python type of a field of type T, for signatures.
template <typename T>
std::string PythonType() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, int>) return "int";
  if constexpr (std::is_same_v<T, double>) return "float";
  if constexpr (std::is_same_v<T, std::string>) return "str";
  if constexpr (std::is_same_v<T, std::vector<int>>) return "list[int]";
  if constexpr (std::is_same_v<T, std::vector<std::string>>) return "list[str]";
  if constexpr (std::is_enum_v<T>) return EnumTraits<T>::name;
  return "object";
}

[[noreturn]] void RaiseFieldError(const std::string& field,
                                  const std::string& expected,
                                  nb::handle value);
bool ToBool(nb::handle value, const std::string& field);
int ToInt(nb::handle value, const std::string& field);
double ToDouble(nb::handle value, const std::string& field);
bool EqualsIgnoringCase(const std::string& a, const char* b);

// An enumerator, or its name.
template <typename E>
E ToEnum(nb::handle value, const std::string& field) {
  E result{};
  if (nb::try_cast<E>(value, result)) return result;
  std::string expected = std::string(EnumTraits<E>::name) + " (";
  std::string name;
  const bool is_name = nb::try_cast<std::string>(value, name);
  for (const auto& e : EnumTraits<E>::Enumerators()) {
    if (is_name && EqualsIgnoringCase(name, e.name)) return e.value;
    if (expected.back() != '(') expected += ", ";
    expected += e.name;
  }
  RaiseFieldError(field, expected + ")", value);
}

template <typename T>
T FromPython(nb::handle value, const std::string& field) {
  if constexpr (std::is_same_v<T, bool>) {
    return ToBool(value, field);
  } else if constexpr (std::is_same_v<T, int>) {
    return ToInt(value, field);
  } else if constexpr (std::is_same_v<T, double>) {
    return ToDouble(value, field);
  } else if constexpr (std::is_enum_v<T>) {
    return ToEnum<T>(value, field);
  } else {
    T result;
    if (!nb::try_cast<T>(value, result)) {
      RaiseFieldError(field, PythonType<T>(), value);
    }
    return result;
  }
}

// The table of the fields of C.
template <typename C>
class Fields {
 public:
  struct Field {
    std::string name;
    std::function<nb::object(const C&)> get;
    std::function<void(C*, nb::handle)> set;
  };

  // The table of the class; filled when the module is imported.
  static std::vector<Field>& All() {
    static auto* const fields = new std::vector<Field>;
    return *fields;
  }

  Fields(nb::class_<C>* type, bool writable)
      : type_(type), writable_(writable) {}

  // Adds a field as an attribute.
  template <typename B, typename T>
  Fields& operator()(const char* name, T B::*member, const char* doc) {
    const std::string type_name = nb::type_name(*type_).c_str();
    const std::string field = ShortName(type_name) + "." + name;
    All().push_back({name, [member](const C& c) { return nb::cast(c.*member); },
                     [member, field](C* c, nb::handle value) {
                       c->*member = FromPython<T>(value, field);
                     }});
    auto* const get_sig = new std::string("def " + std::string(name) +
                                          "(self, /) -> " + PythonType<T>());
    const auto get = [member](const C& c) { return c.*member; };
    if (!writable_) {
      type_->def_prop_ro(name, get, doc, nb::sig(get_sig->c_str()));
      return *this;
    }
    std::string accepted = PythonType<T>();
    if (std::is_enum_v<T>) accepted += " | str";
    auto* const set_sig =
        new std::string("def " + std::string(name) +
                        "(self, value: " + accepted + ", /) -> None");
    type_->def_prop_rw(
        name, get,
        [member, field](C& c, nb::handle value) {
          c.*member = FromPython<T>(value, field);
        },
        doc, nb::for_getter(nb::sig(get_sig->c_str())),
        nb::for_setter(nb::sig(set_sig->c_str())));
    return *this;
  }

  static std::string ShortName(const std::string& name) {
    return name.substr(name.rfind('.') + 1);
  }

 private:
  nb::class_<C>* type_;
  bool writable_;
};

// {name: value} of all fields.
template <typename C>
nb::dict FieldsToDict(const C& c) {
  nb::dict result;
  for (const auto& field : Fields<C>::All()) {
    result[field.name.c_str()] = field.get(c);
  }
  return result;
}

// Sets the fields that `values` names.
template <typename C>
void SetFields(C* c, const nb::dict& values, const char* type) {
  for (const auto& [key, value] : values) {
    const auto name = nb::cast<std::string>(key);
    bool found = false;
    for (const auto& field : Fields<C>::All()) {
      if (field.name == name) {
        field.set(c, value);
        found = true;
      }
    }
    if (!found) {
      RaiseTypeError(std::string(type) + " has no option '" + name + "'.");
    }
  }
}

// to_dict, __repr__ with the fields that differ from the default, pickle.
template <typename C>
void BindFieldFunctions(nb::class_<C>* type, const char* name) {
  type->def(
      "to_dict", [](const C& c) { return FieldsToDict(c); },
      "All fields as a dict.",
      nb::sig("def to_dict(self) -> dict[str, object]"));
  type->def(
      "__getstate__", [](const C& c) { return FieldsToDict(c); },
      nb::sig("def __getstate__(self) -> dict[str, object]"));
  type->def(
      "__setstate__",
      [name](C& c, const nb::dict& state) {
        new (&c) C();
        SetFields(&c, state, name);
      },
      nb::sig("def __setstate__(self, state: dict[str, object]) -> None"));
}

}  // namespace vesta::python

#endif  // VESTA_PYTHON_FIELDS_H_
