//! Every way of searching against scoring all rows and sorting.

use super::sketch::Sketch;
use super::{Among, Method, Metric, Neighbor, Packed, Search, WordVectors};
use crate::observe::{Monitor, Silent};
use crate::simd::ByteTiles;

const METRICS: [Metric; 3] = [Metric::Cosine, Metric::Euclidean, Metric::Dot];

fn vectors(numbers: Vec<f32>, size: usize) -> WordVectors {
    let words: Vec<String> = (0..numbers.len() / size).map(|row| format!("w{row}")).collect();
    let counts = vec![1; words.len()];
    let words = words.iter().map(String::as_str);
    WordVectors::new(words, numbers, size, counts, serde_json::json!({}), vec![]).unwrap()
}

fn search(metric: Metric, n: usize) -> Search<'static> {
    Search { metric, n, among: None, exclude: &[], threads: 2 }
}

fn rows(found: &[Neighbor]) -> Vec<usize> {
    found.iter().map(|neighbor| neighbor.row).collect()
}

/// Whole numbers that look random, so that many rows are equally near.
fn numbers(count: usize, spread: u32, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 16) % (2 * spread + 1)) as f32 - spread as f32
        })
        .collect()
}

/// All rows scored and sorted.
fn expected(vectors: &WordVectors, query: &[f32], search: Search<'_>) -> Vec<Neighbor> {
    let asked = super::metric::Query::new(vectors.kernels, search.metric, query);
    let all = 0..vectors.len();
    let mut found: Vec<Neighbor> = all
        .filter(|row| search.among.is_none_or(|among| among.rows().contains(row)))
        .filter(|row| !search.exclude.contains(row))
        .map(|row| Neighbor { row, score: asked.score(&vectors.row(row), vectors.norms[row]) })
        .collect();
    found.sort_by(Neighbor::order);
    found.truncate(search.n);
    found
}

#[test]
fn best_first_ties_in_row_order_zero_vectors_at_zero() {
    let all = vectors(vec![0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 1.0, 0.0, -1.0, 0.0], 2);
    let ask = |query: &[f32], search| all.nearest(query, search, &mut Silent);
    let found = ask(&[5.0, 0.0], search(Metric::Cosine, 10)).unwrap();
    assert_eq!(rows(&found), [1, 3, 0, 2, 4]);
    let scores: Vec<String> = found.iter().map(|found| found.score.to_string()).collect();
    assert_eq!(scores, ["1", "1", "0", "0", "-1"]);
    let without = Search { exclude: &[1], ..search(Metric::Cosine, 2) };
    assert_eq!(rows(&ask(&[5.0, 0.0], without).unwrap()), [3, 0]);
    assert!(ask(&[5.0, 0.0], search(Metric::Cosine, 0)).unwrap().is_empty());
    let from_zero = ask(&[0.0, 0.0], search(Metric::Cosine, 2)).unwrap();
    assert_eq!((rows(&from_zero), from_zero[0].score), (vec![0, 1], 0.0));
    assert!(ask(&[f32::NAN, 0.0], search(Metric::Cosine, 2)).is_err());
    assert!(ask(&[1.0], search(Metric::Cosine, 2)).is_err());
    let none = Among::new(vec![5]);
    assert!(ask(&[1.0, 0.0], Search { among: Some(&none), ..search(Metric::Dot, 1) }).is_err());
}

#[test]
fn every_way_of_searching_finds_what_sorting_finds() {
    for (size, spread) in [(1, 3), (2, 2), (7, 3), (33, 40), (300, 100)] {
        let mut matrix = numbers(150 * size, spread, size as u32);
        matrix[3 * size..5 * size].fill(0.0);
        let all = vectors(matrix, size);
        let sketch = Sketch::new(&all, 2, &mut Silent).unwrap();
        // More than a panel of them, where the vectors are short.
        let asked = if size < 10 { 50 } else { 6 };
        let mut queries = numbers(asked * size, spread, 99);
        queries[..size].fill(0.0);
        let by_bytes = |tiles, search| {
            all.each_by(Some((&sketch, tiles)), &queries, None, search, &mut Silent).unwrap()
        };
        let among = Among::new((0..150).filter(|row| row % 3 == 0).collect());
        for metric in METRICS {
            for (n, among, exclude) in [
                (1, None, &[][..]),
                (10, None, &[0, 7]),
                (10, Some(&among), &[9]),
                (200, None, &[]),
            ] {
                let search = Search { n, among, exclude, ..search(metric, n) };
                let each = all.nearest_to_each(&queries, None, search, &mut Silent).unwrap();
                if metric == Metric::Cosine && among.is_none() {
                    for tiles in ByteTiles::available() {
                        assert_eq!(by_bytes(tiles, search), each, "{tiles:?} {size}");
                    }
                }
                for (query, together) in queries.chunks_exact(size).zip(each) {
                    let expected = expected(&all, query, search);
                    assert_eq!(all.nearest(query, search, &mut Silent).unwrap(), expected);
                    assert_eq!(together, expected, "{metric:?} of {size} numbers");
                    if among.is_none() {
                        let asked = super::metric::Query::new(all.kernels, metric, query);
                        let monitor = Monitor::default();
                        let found = sketch.scan(&all, asked, search, 0..all.len(), &monitor);
                        assert_eq!(found, expected, "{metric:?} of {size} numbers by bytes");
                    }
                }
            }
        }
    }
}

#[test]
fn extreme_numbers_are_never_left_out() {
    let lengths = [1e-42_f32, 1e-30, 1e-22, 1e-10, 1.0, 1e10, 1e19, 1e30, 3e38];
    let matrix: Vec<f32> =
        lengths.iter().flat_map(|&length| [length, -length, length / 2.0, 0.0]).collect();
    let all = vectors(matrix.clone(), 4);
    let sketch = Sketch::new(&all, 1, &mut Silent).unwrap();
    for metric in METRICS {
        let search = search(metric, 3);
        let each = all.nearest_to_each(&matrix, None, search, &mut Silent).unwrap();
        if metric == Metric::Cosine {
            for tiles in ByteTiles::available() {
                let bytes = Some((&sketch, tiles));
                assert_eq!(all.each_by(bytes, &matrix, None, search, &mut Silent).unwrap(), each);
            }
        }
        for (query, together) in matrix.chunks_exact(4).zip(each) {
            let expected = expected(&all, query, search);
            assert_eq!(together, expected, "{metric:?} {query:?}");
            let asked = super::metric::Query::new(all.kernels, metric, query);
            let monitor = Monitor::default();
            assert_eq!(sketch.scan(&all, asked, search, 0..all.len(), &monitor), expected);
        }
    }
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let all = vectors(numbers(2_200_000, 3, 1), 50);
    let query = numbers(50, 3, 2);
    for n in [1, 10] {
        let first = expected(&all, &query, search(Metric::Cosine, n));
        for threads in [1, 2] {
            let search = Search { threads, ..search(Metric::Cosine, n) };
            assert_eq!(all.nearest(&query, search, &mut Silent).unwrap(), first);
            let each = all.nearest_to_each(&query, None, search, &mut Silent).unwrap();
            assert_eq!(each[0], first);
        }
    }
}

#[test]
fn a_query_is_not_answered_with_its_own_row() {
    let all = vectors(numbers(120, 5, 3), 4);
    let own: Vec<usize> = (0..all.len()).rev().collect();
    let queries: Vec<f32> = own.iter().flat_map(|&row| all.row(row).to_vec()).collect();
    let found =
        all.nearest_to_each(&queries, Some(&own), search(Metric::Cosine, 50), &mut Silent).unwrap();
    for (own, found) in own.iter().zip(found) {
        assert_eq!(found.len(), all.len() - 1);
        assert!(!rows(&found).contains(own));
    }
    assert!(
        all.nearest_to_each(&queries, Some(&[1]), search(Metric::Dot, 1), &mut Silent).is_err()
    );
    assert!(all.nearest_to_each(&[1.0], None, search(Metric::Dot, 1), &mut Silent).is_err());
}

#[test]
fn analogies_together_are_those_asked_one_by_one() {
    let all = vectors(numbers(200 * 5, 4, 8), 5);
    let questions: Vec<[usize; 3]> =
        (0..60).map(|at| [at % 13, (at * 7) % 17, 20 + at % 11]).collect();
    let among = Among::new((0..200).filter(|row| row % 5 != 1).collect());
    for method in [Method::Sum, Method::Product] {
        for threads in [1, 3] {
            let found =
                all.solve_analogies(&questions, &among, method, threads, &mut Silent).unwrap();
            for (question, found) in questions.iter().zip(found) {
                let score = |row: usize| {
                    let [a, b, c] = question.map(|word| all.cosine(&all.row(word), &all.row(row)));
                    match method {
                        Method::Sum => b - a + c,
                        Method::Product => (1.0 + b) * (1.0 + c) / (1.0 + a + 2e-6) / 2.0,
                    }
                };
                let best = among
                    .rows()
                    .iter()
                    .filter(|row| !question.contains(row))
                    .map(|&row| score(row))
                    .fold(f32::NEG_INFINITY, f32::max);
                let found = found.unwrap();
                assert!(!question.contains(&found) && among.rows().contains(&found));
                assert!(score(found) >= best - 1e-4 * best.abs().max(1.0), "{question:?}");
            }
        }
    }
    let few = Among::new(vec![0, 1, 2]);
    let none = all.solve_analogies(&[[0, 1, 2]], &few, Method::Sum, 1, &mut Silent).unwrap();
    assert_eq!(none, [None]);
    assert!(all.solve_analogies(&[[0, 1, 200]], &few, Method::Sum, 1, &mut Silent).is_err());
}

#[test]
fn numbers_with_fewer_bits_are_searched_as_the_floats_they_stand_for() {
    let (rows, size) = (300, 12);
    let plain = vectors(numbers(rows * size, 100, 3), size);
    let bytes = |count: usize, seed: u32| -> Vec<u8> {
        numbers(count, 127, seed).iter().map(|&number| number as i8 as u8).collect()
    };
    let signed = bytes(rows * size, 4).into_iter().map(u8::cast_signed).collect();
    let halves = numbers(rows * size, 15_000, 5).iter().map(|&number| number as u16).collect();
    let codes = bytes(rows * 5, 6).iter().map(|byte| byte % 7).collect();
    let books = numbers(5 * 7 * 3, 50, 7);
    let lengths = |seed| numbers(rows, 9, seed);
    let queries = numbers(40 * size, 20, 8);
    let own: Vec<usize> = (0..40).collect();
    for packed in [
        Packed::half(halves),
        Packed::bytes(signed, lengths(9)),
        Packed::codes(codes, books, 5, lengths(10)),
    ] {
        let name = packed.name();
        let small = plain.with_numbers(packed).unwrap();
        let mut written_out = Vec::new();
        small.append_rows(&(0..rows).collect::<Vec<_>>(), &mut written_out);
        let floats = vectors(written_out, size);
        assert_eq!(small.norms(), floats.norms());
        let among = Among::new((0..rows).filter(|row| row % 4 == 0).collect());
        for metric in METRICS {
            for among in [None, Some(&among)] {
                let search = Search { among, ..search(metric, 10) };
                let each = |vectors: &WordVectors| {
                    vectors.nearest_to_each(&queries, Some(&own), search, &mut Silent).unwrap()
                };
                assert_eq!(each(&small), each(&floats), "{name}");
                let one = |vectors: &WordVectors| {
                    vectors.nearest(&queries[..size], search, &mut Silent).unwrap()
                };
                assert_eq!(one(&small), one(&floats), "{name}");
            }
        }
        let (left, right) = (&queries[..size], &queries[size..2 * size]);
        let product = |vectors: &WordVectors| {
            let search = search(Metric::Cosine, 5);
            vectors.nearest_by_product(&[left], &[right], search, &mut Silent).unwrap()
        };
        assert_eq!(product(&small), product(&floats), "{name}");
        assert_eq!(small.rows.row(7).as_ref(), &floats.matrix()[7 * size..8 * size]);
        if let Some(sketch) = Sketch::in_place(&small) {
            for query in queries.chunks_exact(size) {
                let asked = super::metric::Query::new(small.kernels, Metric::Cosine, query);
                let (search, monitor) = (search(Metric::Cosine, 9), Monitor::default());
                let found = sketch.scan(&small, asked, search, 0..rows, &monitor);
                assert_eq!(found, expected(&floats, query, search));
            }
            for tiles in ByteTiles::available() {
                let search = search(Metric::Cosine, 9);
                let by = |bytes| small.each_by(bytes, &queries, None, search, &mut Silent).unwrap();
                assert_eq!(by(Some((&sketch, tiles))), by(None), "{tiles:?}");
            }
        }
        // Written out, they give the same once more.
        assert_eq!(small.matrix(), floats.matrix());
        assert_eq!(product(&small), product(&floats), "{name}");
    }
}
