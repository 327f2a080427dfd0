// How the library's code is loaded: the module, and the functions that it calls. talus.mjs and worker.mjs use it.

import { wrong } from './memory.mjs';

/// A module whose only function returns a vector.
const vectorModule = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
export const hasVectors = WebAssembly.validate(new Uint8Array(vectorModule));

/// Whether threads can share memory here: a page needs two headers for it (docs/javascript.md).
export const canShare = () => typeof SharedArrayBuffer !== 'undefined' && globalThis.crossOriginIsolated !== false;

/// Whether this thread may wait for others asleep: a browser's main thread may not. For where memory can be shared.
export function canSleep() {
    try {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0);
        return true;
    } catch {
        return false;
    }
}

/// Returns a module of Node's. Its name is put together here, because bundlers for browsers would look for it.
export const ofNode = (name) => import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`);

/// Returns the compiled module from what the user gave: a module, bytes, a response or an address.
export async function compiled(source) {
    source = await source;
    if (source instanceof WebAssembly.Module) return source;
    if (source instanceof ArrayBuffer) return WebAssembly.compile(source);
    if (ArrayBuffer.isView(source)) return WebAssembly.compile(new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
    if (typeof source === 'string' || source instanceof URL) {
        const page = globalThis.location?.href;
        const url = new URL(source, page ?? import.meta.url);  // webpack must not see new URL(source, import.meta.url)
        if (url.protocol === 'file:') {  // fetch() of Node does not read files
            const { readFile } = await ofNode('fs/promises');
            return WebAssembly.compile(await readFile(url));
        }
        source = await fetch(url);
    }
    if (typeof Response === 'undefined' || !(source instanceof Response)) {
        throw wrong('wasm', 'a module, bytes, a response or an address', source);
    }
    if (!source.ok) throw new Error(`${source.url}: ${source.status} ${source.statusText}`);
    return WebAssembly.compile(await source.arrayBuffer());
}

/// Whether the module works on memory that threads share.
export const isShared = (module) => WebAssembly.Module.imports(module).some(({ kind }) => kind === 'memory');

/// Whether the module is one of this package's.
export const isTalus = (module) => WebAssembly.Module.exports(module).some(({ name }) => name === 'talus_version');

const pages = { initial: 256, maximum: 32768 };  // of 64 KB: bindings/js/CMakeLists.txt says the same

/// Returns {C, buffer}: the functions of the module, and WebAssembly's memory. `buffer` is given if another thread has
/// made it. `calls` are the user's functions, by name; `grown` is called when the memory has, and `high` with the upper
/// half of a result of 64 bits. `now` tells the time, in ms.
export async function instantiated(module, { calls = {}, grown, high, now = () => performance.now(), buffer }) {
    const shared = isShared(module);
    const first = buffer === undefined;
    if (shared && first) {
        if (!canShare()) throw new Error('talus-threads.wasm needs memory that threads share, which this page does not have');
        buffer = new WebAssembly.Memory({ ...pages, shared: true });
    }
    let words = new Uint32Array(0);
    /// Writes two words of 32 bits.
    function write(address, first, second) {
        const i = address >> 2;
        if (words.length <= i + 1) words = new Uint32Array(buffer.buffer);  // the memory has grown
        words[i] = first;
        words[i + 1] = second;
        return 0;
    }
    const failed = () => {
        throw new Error('Talus has met an error of its own, and cannot go on');
    };
    const { exports: C } = await WebAssembly.instantiate(module, {
        env: { setTempRet0: high, emscripten_notify_memory_growth: grown, ...(shared ? ofThreads() : {}) },
        wasi_snapshot_preview1: {
            clock_time_get(clock, low, high, time) {  // nanoseconds, 64 bits
                const nanoseconds = now() * 1e6;
                const upper = Math.floor(nanoseconds / 4294967296);
                return write(time, nanoseconds - upper * 4294967296, upper);
            },
            proc_exit: failed,
        },
        talus: Object.fromEntries(['modify', 'line', 'point', 'triangle', 'text'].map((name) =>
            [name, (...values) => calls[name](...values)])),
    });

    /// What the module with threads calls instead, because emscripten makes it for its own JavaScript.
    function ofThreads() {
        const unused = Object.fromEntries(WebAssembly.Module.imports(module)  // by threads that emscripten starts, and WebGL
            .filter(({ module, kind }) => module === 'env' && kind === 'function').map(({ name }) => [name, () => 0]));
        return {
            ...unused,
            memory: buffer,
            setTempRet0: high,
            abort: failed,
            exit: failed,
            emscripten_get_now: now,
            clock_gettime(clock, time) {  // seconds and nanoseconds
                const milliseconds = now();
                const seconds = Math.floor(milliseconds / 1000);
                return write(time, seconds, (milliseconds - seconds * 1000) * 1e6);
            },
            emscripten_memcpy_big: (to, from, count) => void new Uint8Array(buffer.buffer).copyWithin(to, from, from + count),
            emscripten_resize_heap(bytes) {
                try {
                    buffer.grow(Math.max((bytes >>> 0) - buffer.buffer.byteLength + 65535, 0) >>> 16);
                } catch {
                    return 0;
                }
                grown();
                return 1;
            },
        };
    }
    buffer ??= C.memory;
    if (first) {
        C.talus_js_begin_thread?.(false, canSleep());
        (C._initialize ?? C.__wasm_call_ctors)?.();
    }
    return { C, buffer };
}
