// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "dual.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "dual_rules.h"
#include "running.h"

namespace vesta::python {
namespace {

// The ufuncs of NumPy for a rule and its companion.
struct Ufuncs {
  nb::object rule;
  nb::object companion;
};

// What Python registers. The references are released before the interpreter
// ends.
struct Registry {
  nb::object base;       // the class of Dual
  nb::object type;       // DualArray, a subclass in Python
  nb::object variables;  // Variables, a subclass of DualArray
  nb::object to_dual;    // makes a DualArray of an array, a list, ...
  std::unordered_map<PyObject*, const NamedRule*> rules;  // by ufunc
  std::unordered_map<const NamedRule*, Ufuncs> slow;
  nb::object numpy;       // keeps the ufuncs alive
  nb::object array_type;  // numpy.ndarray
};

Registry& registry() {
  static Registry* const result = new Registry;
  return *result;
}

// Memory of arrays that are gone, for the next ones of a solve. The system
// would map and unmap a large block for each operation, and clear its pages.
// Used with the GIL, like all dual arrays.
class FreeBlocks {
 public:
  static FreeBlocks& Get() {
    static FreeBlocks* const result = new FreeBlocks;
    return *result;
  }

  std::shared_ptr<double> Take(int64_t count) {
    if (count < kSmallestBlock) {
      return {New(count).release(), Free()};
    }
    const auto fits = [count](const Block& block) {
      return count <= block.count && block.count <= 2 * count;
    };
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), fits);
    Block block;
    if (found == blocks_.end()) {
      block = {New(count), count};
    } else {
      block = std::move(*found);
      blocks_.erase(found);
      total_ -= block.count;
    }
    const int64_t capacity = block.count;
    const auto release = [this, capacity](double* data) {
      Put({Memory(data), capacity});
    };
    return {block.memory.release(), release};
  }

  // Keeps what is cheap to keep.
  void EndSolve() { Shrink(kKept); }
  void Clear() { Shrink(0); }

 private:
  struct Free {
    void operator()(double* data) const { std::free(data); }
  };
  using Memory = std::unique_ptr<double[], Free>;
  struct Block {
    Memory memory;
    int64_t count = 0;
  };
  static constexpr int64_t kSmallestBlock = 4096;
  static constexpr int64_t kKept = 1 << 20;
  static constexpr size_t kMaxBlocks = 16;

  static Memory New(int64_t count) {
    const size_t size = sizeof(double) * static_cast<size_t>(count);
    void* data = nullptr;
#ifdef __linux__
    // As NumPy does: large pages take fewer page faults.
    constexpr size_t kPage = size_t{1} << 21;
    if (size >= 2 * kPage) {
      if (posix_memalign(&data, kPage, size) != 0) throw std::bad_alloc();
      madvise(data, size, MADV_HUGEPAGE);
      return Memory(static_cast<double*>(data));
    }
#endif
    data = std::malloc(std::max<size_t>(size, 1));
    if (data == nullptr) throw std::bad_alloc();
    return Memory(static_cast<double*>(data));
  }

  void Put(Block block) {
    total_ += block.count;
    blocks_.push_back(std::move(block));
    if (!IsRunning()) Shrink(kKept);
    if (blocks_.size() > kMaxBlocks) DropOldest();
  }

  void Shrink(int64_t most) {
    while (total_ > most) DropOldest();
  }

  void DropOldest() {
    total_ -= blocks_.front().count;
    blocks_.pop_front();
  }

  std::deque<Block> blocks_;
  int64_t total_ = 0;
};

std::shared_ptr<const void> Keep(nb::object object) {
  return std::shared_ptr<const void>(
      object.release().ptr(), [](const void* pointer) {
        const nb::gil_scoped_acquire gil;
        Py_DECREF(static_cast<PyObject*>(const_cast<void*>(pointer)));
      });
}

// The dual array, with stored derivatives.
nb::object Stored(nb::handle dual) {
  if (DualOf(dual)->first_variable < 0) return nb::borrow(dual);
  return dual.attr("_all")();
}

// Subclasses are left to to_dual: an array may have masked values.
PyTypeObject* ArrayType() {
  return reinterpret_cast<PyTypeObject*>(registry().array_type.ptr());
}

// An argument of a function: a dual array, or a constant.
class Operand {
 public:
  explicit Operand(nb::handle object) {
    if (DualOf(object) != nullptr) {
      Take(object);
    } else if (PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr())) {
      number_ = PyFloat_AsDouble(object.ptr());
      if (number_ == -1.0 && PyErr_Occurred() != nullptr) {
        throw nb::python_error();
      }
      view_.data = &number_;
      input_.value = &view_;
    } else if (Py_TYPE(object.ptr()) == ArrayType() && ViewOf(object, &view_)) {
      input_.value = &view_;
    } else {
      Take(registry().to_dual(object));
    }
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  const DualInput& input() const { return input_; }

  // What NumPy takes as the values.
  nb::object Values() const {
    if (keep_.is_valid()) return nb::object(keep_.attr("value"));
    return view_.data == &number_ ? nb::float_(number_) : view_.ToArray();
  }

 private:
  void Take(nb::handle object) {
    keep_ = Stored(object);
    const Dual& dual = *DualOf(keep_);
    input_ = {&dual.value, &dual.derivative, dual.columns};
  }

  double number_ = 0.0;
  DoubleView view_;
  DualInput input_;
  nb::object keep_;
};

nb::object Apply(const NamedRule& rule, nb::handle x, nb::handle y) {
  const Operand first(x);
  std::optional<Operand> second;
  int64_t size = first.input().value->size();
  if (rule.num_arguments == 2) {
    second.emplace(y);
    size = std::max(size, second->input().value->size());
  }
  // A call of NumPy takes as long as a loop over this many entries.
  constexpr int64_t kFewEntries = 256;
  KnownValues known;
  DoubleView z;
  DoubleView companion;
  if (rule.is_slow && size > kFewEntries) {
    const Ufuncs& ufuncs = registry().slow.at(&rule);
    const nb::object values =
        second ? ufuncs.rule(first.Values(), second->Values())
               : ufuncs.rule(first.Values());
    if (ViewOf(values, &z)) known.z = &z;
    if (ufuncs.companion.is_valid() &&
        ViewOf(nb::object(ufuncs.companion(first.Values())), &companion)) {
      known.companion = &companion;
    }
  }
  return NewDual(ApplyRule(rule, first.input(),
                           second ? second->input() : DualInput(), known));
}

// Runs what throws C++ exceptions of Python errors.
template <class F>
PyObject* Guarded(const F& f) {
  try {
    return f().release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    PyErr_SetString(error.type() == nb::exception_type::type_error
                        ? PyExc_TypeError
                        : PyExc_ValueError,
                    error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  return nullptr;
}

const NamedRule& RuleOf(const char* name) { return DualRules().at(name); }

// --- Slots of the type -------------------------------------------------------

#define VESTA_BINARY_SLOT(Name, ufunc)                 \
  PyObject* Name(PyObject* x, PyObject* y) {           \
    static const NamedRule& rule = RuleOf(ufunc);      \
    return Guarded([&] { return Apply(rule, x, y); }); \
  }
#define VESTA_UNARY_SLOT(Name, ufunc)                             \
  PyObject* Name(PyObject* x) {                                   \
    static const NamedRule& rule = RuleOf(ufunc);                 \
    return Guarded([&] { return Apply(rule, x, nb::handle()); }); \
  }
VESTA_BINARY_SLOT(Add, "add")
VESTA_BINARY_SLOT(Subtract, "subtract")
VESTA_BINARY_SLOT(Multiply, "multiply")
VESTA_BINARY_SLOT(Divide, "divide")
VESTA_BINARY_SLOT(Remainder, "remainder")
VESTA_UNARY_SLOT(Negative, "negative")
VESTA_UNARY_SLOT(Positive, "positive")
VESTA_UNARY_SLOT(Absolute, "absolute")
#undef VESTA_BINARY_SLOT
#undef VESTA_UNARY_SLOT

PyObject* PowerSlot(PyObject* x, PyObject* y, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  static const NamedRule& rule = RuleOf("power");
  return Guarded([&] { return Apply(rule, x, y); });
}

// NumPy's ufuncs, see NEP 13: __array_ufunc__(ufunc, method, *inputs).
PyObject* ArrayUfunc(PyObject* self, PyObject* const* arguments,
                     Py_ssize_t count, PyObject* names) {
  const auto& rules = registry().rules;
  if (count >= 3 && (names == nullptr || PyTuple_Size(names) == 0) &&
      PyUnicode_CompareWithASCIIString(arguments[1], "__call__") == 0) {
    const auto found = rules.find(arguments[0]);
    if (found != rules.end() && found->second->num_arguments == count - 2) {
      return Guarded([&] {
        return Apply(*found->second, arguments[2],
                     count > 3 ? arguments[3] : nullptr);
      });
    }
  }
  return Guarded([&] {
    const nb::object other = nb::handle(self).attr("_array_ufunc");
    nb::object result = nb::steal(PyObject_Vectorcall(
        other.ptr(), arguments, static_cast<size_t>(count), names));
    if (!result.is_valid()) throw nb::python_error();
    return result;
  });
}

// Entry i of the first axis, or the variable i.
nb::object Entry(const Dual& dual, int64_t i) {
  const int64_t length = dual.value.shape[0];
  if (i < -length || i >= length) {
    PyErr_SetString(PyExc_IndexError, ("index " + std::to_string(i) +
                                       " is out of bounds for axis 0 with "
                                       "size " +
                                       std::to_string(length))
                                          .c_str());
    throw nb::python_error();
  }
  if (i < 0) i += length;
  Dual result;
  result.value = dual.value;
  DoubleView& value = result.value;
  value.data += i * value.strides[0];
  --value.ndim;
  std::copy_n(dual.value.shape + 1, value.ndim, value.shape);
  std::copy_n(dual.value.strides + 1, value.ndim, value.strides);
  DoubleView& derivative = result.derivative;
  if (dual.first_variable >= 0) {
    static const double kOne = 1.0;
    result.columns =
        std::make_shared<const DualColumns>(1, dual.first_variable + i);
    derivative.data = &kOne;
    derivative.ndim = 1;
    derivative.shape[0] = derivative.strides[0] = 1;
    return NewDual(std::move(result));
  }
  result.columns = dual.columns;
  derivative = dual.derivative;
  derivative.data += i * derivative.strides[1];
  --derivative.ndim;
  std::copy_n(dual.derivative.shape + 2, value.ndim, derivative.shape + 1);
  std::copy_n(dual.derivative.strides + 2, value.ndim, derivative.strides + 1);
  return NewDual(std::move(result));
}

PyObject* GetItem(PyObject* self, PyObject* index) {
  const Dual& dual = *nb::inst_ptr<Dual>(self);
  const bool is_variables = dual.first_variable >= 0;
  if (PyLong_CheckExact(index) && dual.value.ndim > 0 &&
      (is_variables ? dual.value.ndim == 1 : !dual.is_sparse)) {
    return Guarded([&] {
      const int64_t i = PyLong_AsLongLong(index);
      if (i == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
      return Entry(dual, i);
    });
  }
  return Guarded([&]() -> nb::object {
    return nb::handle(self).attr("_item")(nb::handle(index));
  });
}

// Comparisons are of values.
PyObject* Compare(PyObject* self, PyObject* other, int operation) {
  return Guarded([&] {
    const auto value_of = [](nb::handle object) -> nb::object {
      return DualOf(object) != nullptr ? nb::object(object.attr("value"))
                                       : nb::borrow(object);
    };
    nb::object result = nb::steal(PyObject_RichCompare(
        value_of(self).ptr(), value_of(other).ptr(), operation));
    if (!result.is_valid()) throw nb::python_error();
    return result;
  });
}

template <class F>
void* Slot(F* function) {
  return reinterpret_cast<void*>(function);
}

PyMethodDef kMethods[] = {
    {"__array_ufunc__", reinterpret_cast<PyCFunction>(Slot(&ArrayUfunc)),
     METH_FASTCALL | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot kSlots[] = {{Py_nb_add, Slot(&Add)},
                        {Py_nb_subtract, Slot(&Subtract)},
                        {Py_nb_multiply, Slot(&Multiply)},
                        {Py_nb_true_divide, Slot(&Divide)},
                        {Py_nb_remainder, Slot(&Remainder)},
                        {Py_nb_power, Slot(&PowerSlot)},
                        {Py_nb_negative, Slot(&Negative)},
                        {Py_nb_positive, Slot(&Positive)},
                        {Py_nb_absolute, Slot(&Absolute)},
                        {Py_mp_subscript, Slot(&GetItem)},
                        {Py_tp_richcompare, Slot(&Compare)},
                        {Py_tp_methods, kMethods},
                        {0, nullptr}};

// --- Construction ------------------------------------------------------------

nb::object AsDoubles(nb::handle object, DoubleView* view) {
  if (ViewOf(object, view)) return nb::borrow(object);
  const nb::object array = registry().numpy.attr("asarray")(
      object, nb::arg("dtype") = registry().numpy.attr("float64"));
  if (!ViewOf(array, view)) {
    RaiseTypeError(
        "vesta.autodiff: expected an array of numbers of at most 8 "
        "dimensions.");
  }
  return array;
}

void Assign(Dual* dual, nb::handle value, const DualColumns& columns,
            nb::handle derivative) {
  dual->value_array = AsDoubles(value, &dual->value);
  dual->columns = std::make_shared<const DualColumns>(columns);
  dual->first_variable = -1;
  if (derivative.is_none()) {
    dual->derivative_array = nb::object();
    dual->derivative = DoubleView();
    dual->derivative.ndim = dual->value.ndim + 1;
    std::copy_n(dual->value.shape, dual->value.ndim,
                dual->derivative.shape + 1);
    dual->derivative.shape[0] = static_cast<int64_t>(columns.size());
    if (columns.empty()) return;
    nb::list shape;
    for (int a = 0; a < dual->derivative.ndim; ++a) {
      shape.append(dual->derivative.shape[a]);
    }
    const nb::object zeros = registry().numpy.attr("zeros")(nb::tuple(shape));
    dual->derivative_array = AsDoubles(zeros, &dual->derivative);
  } else {
    dual->derivative_array = AsDoubles(derivative, &dual->derivative);
  }
  const bool fits =
      dual->derivative.ndim == dual->value.ndim + 1 &&
      dual->derivative.shape[0] == static_cast<int64_t>(columns.size()) &&
      std::equal(dual->value.shape, dual->value.shape + dual->value.ndim,
                 dual->derivative.shape + 1);
  if (!fits) {
    RaiseValueError(
        "DualArray: expected derivatives with one more dimension than the "
        "values, the first, which is that of the columns.");
  }
}

nb::object ValueArray(Dual& dual) {
  if (!dual.value_array.is_valid()) dual.value_array = dual.value.ToArray();
  return dual.value_array;
}

nb::object DerivativeArray(nb::handle self) {
  Dual& dual = *nb::inst_ptr<Dual>(self);
  if (dual.first_variable >= 0) return Stored(self).attr("derivative");
  if (!dual.derivative_array.is_valid()) {
    dual.derivative_array = dual.derivative.ToArray();
  }
  return dual.derivative_array;
}

nb::tuple ColumnsOf(nb::handle self) {
  const Dual& dual = *nb::inst_ptr<Dual>(self);
  if (dual.first_variable >= 0) {
    return nb::tuple(nb::object(Stored(self).attr("columns")));
  }
  nb::list result;
  for (const int64_t c : *dual.columns) result.append(c);
  return nb::tuple(result);
}

nb::object CombineArrays(nb::handle value, nb::handle x, nb::handle by_x,
                         nb::handle y, nb::handle by_y) {
  DoubleView values;
  DoubleView x_factors;
  DoubleView y_factors;
  const nb::object keep = AsDoubles(value, &values);
  const nb::object keep_x =
      by_x.is_none() ? nb::none() : AsDoubles(by_x, &x_factors);
  const nb::object keep_y =
      by_y.is_none() ? nb::none() : AsDoubles(by_y, &y_factors);
  const Operand first(x);
  std::optional<Operand> second;
  if (!y.is_none()) second.emplace(y);
  return NewDual(Combine(values, first.input(),
                         by_x.is_none() ? nullptr : &x_factors,
                         second ? second->input() : DualInput(),
                         by_y.is_none() ? nullptr : &y_factors));
}

// Gives the classes of Python, and the function that makes their objects.
void Register(nb::handle base, nb::handle type, nb::handle variables,
              nb::handle to_dual) {
  Registry& r = registry();
  r.base = nb::borrow(base);
  r.type = nb::borrow(type);
  r.variables = nb::borrow(variables);
  r.to_dual = nb::borrow(to_dual);
  r.numpy = nb::module_::import_("numpy");
  r.array_type = r.numpy.attr("ndarray");
  for (const auto& [name, rule] : DualRules()) {
    const nb::object ufunc = r.numpy.attr(name.c_str());
    r.rules[ufunc.ptr()] = &rule;
    if (!rule.is_slow) continue;
    r.slow[&rule].rule = ufunc;
    if (rule.companion != nullptr) {
      r.slow[&rule].companion = r.numpy.attr(rule.companion);
    }
  }
}

void Forget() {
  registry() = Registry();
  FreeBlocks::Get().Clear();
}

}  // namespace

std::shared_ptr<double> NewDoubles(int64_t count) {
  return FreeBlocks::Get().Take(count);
}

int64_t DoubleView::size() const {
  int64_t product = 1;
  for (int a = 0; a < ndim; ++a) product *= shape[a];
  return product;
}

nb::object DoubleView::ToArray() const {
  size_t lengths[kMaxDimensions];
  std::copy_n(shape, ndim, lengths);
  const nb::capsule owner(
      new std::shared_ptr<const void>(memory), [](void* pointer) noexcept {
        delete static_cast<std::shared_ptr<const void>*>(pointer);
      });
  return nb::cast(nb::ndarray<nb::numpy, double>(const_cast<double*>(data),
                                                 static_cast<size_t>(ndim),
                                                 lengths, owner, strides));
}

void ReleaseFreeBlocks() { FreeBlocks::Get().EndSolve(); }

bool ViewOf(nb::handle array, DoubleView* view) {
  if (PyObject_CheckBuffer(array.ptr()) == 0) return false;
  Py_buffer buffer;
  if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_FORMAT | PyBUF_STRIDES) !=
      0) {
    PyErr_Clear();
    return false;
  }
  bool fits = buffer.format != nullptr &&
              std::strcmp(buffer.format, "d") == 0 &&
              buffer.ndim <= DoubleView::kMaxDimensions &&
              reinterpret_cast<uintptr_t>(buffer.buf) % alignof(double) == 0;
  for (int a = 0; fits && a < buffer.ndim; ++a) {
    fits = buffer.strides[a] % static_cast<Py_ssize_t>(sizeof(double)) == 0;
    view->shape[a] = buffer.shape[a];
    view->strides[a] =
        buffer.strides[a] / static_cast<Py_ssize_t>(sizeof(double));
  }
  if (fits) {
    view->data = static_cast<const double*>(buffer.buf);
    view->ndim = buffer.ndim;
    view->memory = Keep(nb::borrow(array));
  }
  PyBuffer_Release(&buffer);
  return fits;
}

const Dual* DualOf(nb::handle object) {
  const nb::object& base = registry().base;
  const bool is_dual =
      base.is_valid() &&
      PyObject_TypeCheck(object.ptr(),
                         reinterpret_cast<PyTypeObject*>(base.ptr())) != 0;
  return is_dual ? nb::inst_ptr<Dual>(object) : nullptr;
}

nb::object NewDual(Dual dual) {
  if (!registry().type.is_valid()) {
    RaiseTypeError("vesta.autodiff: the interpreter exits.");
  }
  nb::object result = nb::inst_alloc(registry().type);
  new (nb::inst_ptr<Dual>(result)) Dual(std::move(dual));
  nb::inst_mark_ready(result);
  return result;
}

nb::object ToDual(nb::handle object) {
  if (DualOf(object) != nullptr) return Stored(object);
  return Stored(nb::object(registry().to_dual(object)));
}

nb::object VectorOfVariables(nb::handle values) {
  return registry().variables(values, 0);
}

nb::list ScalarVariables(const double* values, int64_t count) {
  Dual all;
  const std::shared_ptr<double> memory = NewDoubles(count);
  std::copy_n(values, count, memory.get());
  all.value.data = memory.get();
  all.value.memory = memory;
  all.value.ndim = 1;
  all.value.shape[0] = count;
  all.value.strides[0] = 1;
  all.first_variable = 0;
  nb::list result;
  for (int64_t i = 0; i < count; ++i) result.append(Entry(all, i));
  return result;
}

void CopyDerivatives(const Dual& dual, int64_t num_columns, double* to) {
  const DoubleView& d = dual.derivative;
  const int64_t size = dual.value.size();
  const int64_t length = d.ndim > 1 ? d.shape[d.ndim - 1] : 1;
  const int64_t stride = d.ndim > 1 ? d.strides[d.ndim - 1] : 1;
  int64_t next = 0;  // the first column that is not written
  for (size_t k = 0; k < dual.columns->size(); ++k) {
    const int64_t c = (*dual.columns)[k];
    if (c >= num_columns) break;
    std::fill(to + next * size, to + c * size, 0.0);
    next = c + 1;
    double* out = to + c * size;
    int64_t index[DoubleView::kMaxDimensions] = {};
    for (double* const end = out + size; out < end; out += length) {
      const double* from = d.data + static_cast<int64_t>(k) * d.strides[0];
      for (int a = 1; a < d.ndim - 1; ++a) from += index[a] * d.strides[a];
      if (stride == 1) {
        std::copy_n(from, length, out);
      } else {
        for (int64_t i = 0; i < length; ++i) out[i] = from[i * stride];
      }
      for (int a = d.ndim - 2; a >= 1; --a) {
        if (++index[a] < d.shape[a]) break;
        index[a] = 0;
      }
    }
  }
  std::fill(to + next * size, to + num_columns * size, 0.0);
}

void BindDuals(nb::module_& module) {
  nb::class_<Dual> type(module, "_Dual", nb::type_slots(kSlots));
  type.def(
          "__init__",
          [](Dual* self, nb::handle value, const DualColumns& columns,
             nb::handle derivative) {
            new (self) Dual;
            Assign(self, value, columns, derivative);
          },
          nb::arg("value"), nb::arg("columns") = DualColumns(),
          nb::arg("derivative").none() = nb::none())
      .def("_assign",
           [](Dual& self, nb::handle value, const DualColumns& columns,
              nb::handle derivative) {
             Assign(&self, value, columns, derivative);
           })
      .def_rw("_sparse", &Dual::is_sparse)
      .def_rw("_first", &Dual::first_variable)
      .def_prop_ro("value", &ValueArray)
      .def_prop_ro("derivative", &DerivativeArray)
      .def_prop_ro("columns", &ColumnsOf);
  module.def("_register_duals", &Register);
  nb::list names;
  for (const auto& [name, rule] : DualRules()) names.append(name.c_str());
  module.attr("_dual_rules") = nb::frozenset(names);
  module.def("_forget_duals", &Forget);
  module.def("_combined", &CombineArrays, nb::arg("value"), nb::arg("x"),
             nb::arg("by_x").none(), nb::arg("y").none(),
             nb::arg("by_y").none());
}

}  // namespace vesta::python
