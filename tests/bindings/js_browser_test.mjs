// The package in a browser:
//
//     TALUS_JS=build/wasm/npm node --test tests/bindings/js_browser_test.mjs
//
// TALUS_JS        the package's folder
// TALUS_CHROMIUM  the browser; default: chromium
// TALUS_THREE     the folder of three.js's npm package; without it, its example is skipped

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, extname, join, normalize, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = resolve(process.env.TALUS_JS ?? join(root, 'build/wasm/npm'));
const chromium = process.env.TALUS_CHROMIUM ?? '/usr/bin/chromium';
const three = process.env.TALUS_THREE;

const crate = (options) => `<!doctype html><p id="result"></p><script type="module">
import { load } from '/talus.mjs';
const result = document.getElementById('result');
try {
    const talus = await load(${options});
    const world = new talus.World();
    world.addBody({ type: 'fixed', shape: talus.box(50, 1, 50), position: [0, -1, 0] });
    const crate = world.addBody({ shape: talus.box(0.5, 0.5, 0.5), position: [0, 10, 0] });
    for (let i = 0; i < 240; ++i) world.step(1 / 60);
    result.textContent = 'height ' + world.position(crate)[1].toFixed(2) + ' hash ' + world.hash();
} catch (error) {
    result.textContent = error.stack;
}
</script>`;
const worker = `<!doctype html><p id="result"></p><script type="module">
const code = \`import { load } from '\${location.origin}/talus.mjs';
const talus = await load();
const world = new talus.World();
postMessage('bodies ' + (world.addBody({ shape: talus.sphere(1) }), world.bodyCount()));\`;
const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' });
worker.onmessage = ({ data }) => { document.getElementById('result').textContent = data; };
worker.onerror = (event) => { document.getElementById('result').textContent = 'failed: ' + event.message; };
</script>`;
const pages = { '/simd.html': crate(''), '/plain.html': crate('{ simd: false }'), '/worker.html': worker };

const types = { '.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname);
    let body = pages[path];
    const file = path.startsWith('/three/') ? join(three ?? '', path.slice(6)) : join(folder, path);
    if (body === undefined && existsSync(file) && extname(file)) body = readFileSync(file);
    if (body !== undefined && path === '/examples/three.html') {
        body = String(body).replace(/https:\/\/unpkg\.com\/three@[\d.]+/, '/three').replace("'three';", "'three'; window.onerror = (m) => { document.title = m; };")
            .replace('renderer.render(scene, camera);', '$& document.title = `frame ${++window.frames_ || (window.frames_ = 1)} y ${poses[1]?.toFixed(1)}`;');
    }
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': types[extname(path)] ?? 'text/plain' }).end(body);
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
after(() => server.close());

/// Returns the page as the browser has made it after some seconds of its own time.
function dumped(path) {
    const profile = mkdtempSync(join(tmpdir(), 'talus-chromium-'));
    return new Promise((done, failed) => {
        execFile(chromium, ['--headless', '--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader', `--user-data-dir=${profile}`,
            '--virtual-time-budget=8000', '--timeout=60000', '--dump-dom', `http://127.0.0.1:${server.address().port}${path}`],
        { timeout: 120000 }, (error, text) => {
            rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
            return error ? failed(error) : done(text);
        });
    });
}
const without = !existsSync(chromium) && `${chromium} does not exist`;

test('a crate falls in a browser, with the same bits with and without SIMD', { skip: without }, async (t) => {
    const [simd, plain] = [await dumped('/simd.html'), await dumped('/plain.html')]
        .map((page) => /<p id="result">([^]*?)<\/p>/.exec(page)[1]);
    t.diagnostic(simd);
    assert.match(simd, /^height 0\.50 hash [0-9a-f]{16}$/);
    assert.equal(plain, simd);
});

test('a worker can load it', { skip: without }, async () => {
    assert.match(await dumped('/worker.html'), /bodies 1/);
});

test('the example with three.js draws', { skip: without || (!three && 'TALUS_THREE is not set') }, async (t) => {
    const [, title] = /<title>([^]*?)<\/title>/.exec(await dumped('/examples/three.html'));
    t.diagnostic(title);
    assert.match(title, /^frame \d+ y -?\d/);
});
