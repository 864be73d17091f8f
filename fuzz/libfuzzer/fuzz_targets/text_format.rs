#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| textgrain_fuzz::text_format(bytes));
