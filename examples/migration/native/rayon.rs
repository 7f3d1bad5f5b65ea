// What docs/migration-native.md shows of rayon.
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

fn fib(n: u32) -> u32 {
    if n < 2 {
        return n;
    }
    let (left, right) = rayon::join(|| fib(n - 1), || fib(n - 2));
    left + right
}

fn main() {
    assert_eq!(fib(20), 6765);

    let mut v = vec![0usize; 1000];
    v.par_iter_mut().enumerate().for_each(|(i, x)| *x = i * i);
    let sum: usize = v.par_iter().sum();
    assert_eq!(sum, 332833500);

    let sum = AtomicUsize::new(0);
    rayon::scope(|s| {
        for i in 0..10 {
            let sum = &sum;
            s.spawn(move |_| {
                sum.fetch_add(i, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(sum.into_inner(), 45);
}
