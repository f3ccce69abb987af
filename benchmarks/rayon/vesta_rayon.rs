// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

//! rayon as runtime_benchmark uses it. ../runtime/rayon.h declares the same
//! functions for C++ and says what they do. What is measured in nanoseconds is
//! written here, so that rayon can inline it; what takes microseconds is called
//! back.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ffi::c_void;

/// A closure of C++: a function and what it is to be given.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Callback {
    function: extern "C" fn(*mut c_void, i64),
    closure: *mut c_void,
}

// The C++ side calls its closures from several threads.
unsafe impl Send for Callback {}
unsafe impl Sync for Callback {}

impl Callback {
    fn call(&self, k: i64) {
        (self.function)(self.closure, k)
    }
}

#[no_mangle]
pub extern "C" fn vesta_rayon_pool_new(threads: i32) -> *mut ThreadPool {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads as usize)
        .build();
    Box::into_raw(Box::new(pool.expect("rayon cannot start its threads")))
}

/// # Safety
/// `pool` is from vesta_rayon_pool_new and not freed yet.
#[no_mangle]
pub unsafe extern "C" fn vesta_rayon_pool_free(pool: *mut ThreadPool) {
    drop(Box::from_raw(pool));
}

/// # Safety
/// `pool` is from vesta_rayon_pool_new.
#[no_mangle]
pub unsafe extern "C" fn vesta_rayon_install(pool: *const ThreadPool, body: Callback) {
    (*pool).install(|| body.call(0));
}

/// # Safety
/// `pool` is from vesta_rayon_pool_new; the closure lives until it has run.
#[no_mangle]
pub unsafe extern "C" fn vesta_rayon_spawn(pool: *const ThreadPool, task: Callback) {
    (*pool).spawn(move || task.call(0));
}

#[no_mangle]
pub extern "C" fn vesta_rayon_spawn_and_await(tasks: i64, task: Callback) {
    rayon::scope(|scope| {
        for k in 0..tasks {
            scope.spawn(move |_| task.call(k));
        }
    });
}

#[no_mangle]
pub extern "C" fn vesta_rayon_loop(n: i64, body: Callback) {
    (0..n).into_par_iter().for_each(|k| body.call(k));
}

#[no_mangle]
pub extern "C" fn vesta_rayon_count(n: i64) -> i64 {
    let step = |mut count: i64, _| {
        count += 1;
        // Keeps the additions one after the other.
        unsafe {
            std::arch::asm!("/* {0} */", inout(reg) count,
                            options(nomem, nostack, preserves_flags));
        }
        count
    };
    (0..n).into_par_iter().fold(|| 0, step).sum()
}

#[no_mangle]
pub extern "C" fn vesta_rayon_join(task: Callback) {
    rayon::join(|| task.call(0), || task.call(1));
}

#[no_mangle]
pub extern "C" fn vesta_rayon_fibonacci_join(n: i32) -> i64 {
    if n < 2 {
        return n as i64;
    }
    let (a, b) = rayon::join(
        || vesta_rayon_fibonacci_join(n - 1),
        || vesta_rayon_fibonacci_join(n - 2),
    );
    a + b
}

#[no_mangle]
pub extern "C" fn vesta_rayon_fibonacci_scope(n: i32) -> i64 {
    if n < 2 {
        return n as i64;
    }
    let mut a = 0;
    let mut b = 0;
    rayon::scope(|scope| {
        scope.spawn(|_| a = vesta_rayon_fibonacci_scope(n - 1));
        b = vesta_rayon_fibonacci_scope(n - 2);
    });
    a + b
}
