// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_MODELS_MODEL_FIBER_H_
#define CERES_INTERNAL_PARALLEL_MODELS_MODEL_FIBER_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#if defined(_WIN32)
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#else
#include <ucontext.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VESTA_FIBER_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define VESTA_FIBER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define VESTA_FIBER_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define VESTA_FIBER_TSAN 1
#endif
#if defined(VESTA_FIBER_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(VESTA_FIBER_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace ceres::parallel::testing_internal {

#if defined(_WIN32)

// For tests: the stack of a simulated thread, or of the thread that simulates.
class ModelFiber {
 public:
  using Function = void (*)(void* argument);

  ModelFiber() = default;
  ~ModelFiber() {
    if (is_simulated_) DeleteFiber(fiber_);
  }
  ModelFiber(const ModelFiber&) = delete;
  ModelFiber& operator=(const ModelFiber&) = delete;

  // As below. A fiber is kept: making one takes system calls.
  void Prepare(Function function, void* argument) {
    function_ = function;
    argument_ = argument;
    begins_again_ = has_begun_;
    if (is_simulated_) return;
    is_simulated_ = true;
    fiber_ = CreateFiber(kStackSize, &Enter, this);
  }
  void SwitchTo(ModelFiber* to) {
    if (fiber_ == nullptr) {
      fiber_ =
          IsThreadAFiber() ? GetCurrentFiber() : ConvertThreadToFiber(nullptr);
    }
    SwitchToFiber(to->fiber_);
    if (begins_again_) RtlRestoreContext(&at_begin_, nullptr);
  }

 private:
  static constexpr std::size_t kStackSize = std::size_t{1} << 17;

  static void WINAPI Enter(void* argument) {
    auto* const self = static_cast<ModelFiber*>(argument);
    self->has_begun_ = true;
    RtlCaptureContext(&self->at_begin_);
    // Each execution begins here.
    self->begins_again_ = false;
    self->function_(self->argument_);
    std::abort();  // It never returns; this keeps the frame.
  }

  void* fiber_ = nullptr;
  bool is_simulated_ = false;
  bool has_begun_ = false;
  bool begins_again_ = false;
  CONTEXT at_begin_;  // Within Enter.
  Function function_ = nullptr;
  void* argument_ = nullptr;
};

#else

// For tests: the stack of a simulated thread, or of the thread that simulates.
// Tells the sanitizers of each switch.
class ModelFiber {
 public:
  using Function = void (*)(void* argument);

  ModelFiber() = default;
  ~ModelFiber() {
#if defined(VESTA_FIBER_TSAN)
    if (tsan_fiber_ != nullptr && stack_ != nullptr) {
      __tsan_destroy_fiber(tsan_fiber_);
    }
#endif
  }
  ModelFiber(const ModelFiber&) = delete;
  ModelFiber& operator=(const ModelFiber&) = delete;

  // The next switch to this fiber calls function(argument), which must never
  // return. Frames that are on the stack are dropped.
  void Prepare(Function function, void* argument) {
    if (stack_ == nullptr) stack_ = std::make_unique<char[]>(kStackSize);
#if defined(VESTA_FIBER_ASAN)
    __asan_unpoison_memory_region(stack_.get(), kStackSize);
#endif
#if defined(VESTA_FIBER_TSAN)
    if (tsan_fiber_ != nullptr) __tsan_destroy_fiber(tsan_fiber_);
    tsan_fiber_ = __tsan_create_fiber(0);
#endif
    function_ = function;
    argument_ = argument;
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_.get();
    context_.uc_stack.ss_size = kStackSize;
    context_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    // makecontext passes numbers of type int only.
    makecontext(&context_, reinterpret_cast<void (*)()>(&Enter), 2,
                static_cast<unsigned>(self),
                static_cast<unsigned>(std::uint64_t{self} >> 32));
  }

  // Continues in `to`. Call it on the stack of this fiber; it returns at the
  // next switch to this fiber.
  void SwitchTo(ModelFiber* to) {
#if defined(VESTA_FIBER_TSAN)
    if (tsan_fiber_ == nullptr) tsan_fiber_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->tsan_fiber_, 0);
#endif
#if defined(VESTA_FIBER_ASAN)
    to->came_from_ = this;
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, to->stack_bottom(),
                                   to->stack_size());
    swapcontext(&context_, &to->context_);
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#else
    swapcontext(&context_, &to->context_);
#endif
  }

#if defined(VESTA_FIBER_ASAN)
  // For the fiber of the thread that simulates.
  void UseStack(const void* bottom, std::size_t size) {
    own_bottom_ = bottom;
    own_size_ = size;
  }
#endif

 private:
  static constexpr std::size_t kStackSize = std::size_t{1} << 17;

  static void Enter(unsigned low, unsigned high) {
    const std::uint64_t address = std::uint64_t{high} << 32 | low;
    auto* const self =
        reinterpret_cast<ModelFiber*>(static_cast<std::uintptr_t>(address));
#if defined(VESTA_FIBER_ASAN)
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
    if (self->came_from_->stack_ == nullptr) {
      self->came_from_->UseStack(bottom, size);
    }
#endif
    self->function_(self->argument_);
  }

#if defined(VESTA_FIBER_ASAN)
  const void* stack_bottom() const {
    return stack_ != nullptr ? stack_.get() : own_bottom_;
  }
  std::size_t stack_size() const {
    return stack_ != nullptr ? kStackSize : own_size_;
  }
  ModelFiber* came_from_ = nullptr;
  const void* own_bottom_ = nullptr;
  std::size_t own_size_ = 0;
#endif
#if defined(VESTA_FIBER_TSAN)
  void* tsan_fiber_ = nullptr;
#endif

  ucontext_t context_{};
  std::unique_ptr<char[]> stack_;
  Function function_ = nullptr;
  void* argument_ = nullptr;
};

#endif

}  // namespace ceres::parallel::testing_internal

#endif  // CERES_INTERNAL_PARALLEL_MODELS_MODEL_FIBER_H_
