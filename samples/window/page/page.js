// Runs talus-window in the page's canvas.
//
// The address says what it opens, by the window's own options (docs/window.md): index.html?scene=hullpile&panel=profile is
// `talus-window --scene hullpile --panel profile`, and a name without a value is an option without one. `replay` takes the
// address of a recording, which is fetched; a recording that is dropped on the page is played, too.
'use strict';

const canvas = document.getElementById('canvas');
const notice = document.getElementById('notice');

function say(text) {
    notice.textContent = text;
}

/// What went wrong after the program had begun: below the picture, which stays.
function complain(text) {
    notice.className = 'over';
    say(text);
}

/// Pixels per unit of the page. More than 2 cost time, and nobody sees them.
const density = () => Math.min(2, Math.max(1, window.devicePixelRatio || 1));
const pixels = () => [canvas.clientWidth, canvas.clientHeight].map((x) => Math.round(x * density()));

/// Whether a processor draws, in which case the picture is kept simple.
function isDrawnByProcessor() {
    const gl = document.createElement('canvas').getContext('webgl2');
    const info = gl && gl.getExtension('WEBGL_debug_renderer_info');
    return !!info && /SwiftShader|llvmpipe|softpipe|Basic Render|Software/i.test(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
}

async function fetched(address) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
    return new Uint8Array(await answer.arrayBuffer());
}

/// Options that a page cannot follow: it has one thread, no files to write and no settings file.
const noOptions = new Set(['threads', 'screenshot', 'csv', 'trace', 'report', 'record', 'replay-html', 'scene-file', 'mesh',
    'config', 'no-config', 'frames', 'fps']);

/// Options that are about the picture, whichever scene it shows.
const lasting = new Set(['draw', 'color', 'panel', 'quality', 'sleep', 'still']);

/// The program's arguments, for a page of this address.
async function argumentsOf(address) {
    const words = [];
    for (const [name, value] of new URL(address).searchParams) {
        if (noOptions.has(name) || (name === 'replay' && value === '')) continue;
        words.push('--' + name);
        if (name === 'replay') {
            Module.FS.writeFile('/replay.talus', await fetched(value));
            words.push('/replay.talus');
        } else if (value !== '') {
            words.push(value);
        }
    }
    if (!words.includes('--size')) words.push('--size', pixels().map((x, i) => Math.max(x, i ? 240 : 320)).join('x'));
    if (!words.includes('--quality') && isDrawnByProcessor()) words.push('--quality', 'low');
    return [...words, '--no-config'];
}

function fit() {
    const [width, height] = pixels();
    if (canvas.width !== width || canvas.height !== height) Module.setCanvasSize(width, height);
}

let complaints = '';
let isText = false;  // the program prints a text, and ends
var Module = {
    canvas,
    print: (line) => isText ? say(notice.textContent + line + '\n') : console.log(line),
    printErr: (line) => {
        console.warn(line);
        if (/^talus-window: /.test(line)) complain(complaints += line.slice('talus-window: '.length) + '\n');
    },
    setStatus: () => {},
    onAbort: (why) => complain(`Talus stopped: ${why}`),
    async onRuntimeInitialized() {
        try {
            const words = await argumentsOf(location.href);
            say('');
            isText = words.includes('--help') || words.includes('--list');
            notice.classList.toggle('text', isText);
            Module.callMain(words);
            if (isText) return;
        } catch (error) {
            return complain(String(error.message || error));
        }
        fit();
        canvas.focus();
        new ResizeObserver(fit).observe(canvas);
        // The address follows the scene, so that it can be passed on; the title is the scene's. Options for the picture
        // stay, those for one run of one scene go.
        new MutationObserver(() => {
            const scene = /^([a-z0-9_]+) - Talus$/.exec(document.title);
            if (!scene) return;
            const options = [...new URL(location.href).searchParams].filter(([name]) => lasting.has(name));
            const all = new URLSearchParams([['scene', scene[1]], ...options]);
            history.replaceState(null, '', '?' + all.toString().replace(/=(?=&|$)/g, '').replaceAll('%2C', ','));
        }).observe(document.querySelector('title'), { childList: true });
    },
};

addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', async (event) => {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (!file) return;
    Module.FS.writeFile('/' + file.name, new Uint8Array(await file.arrayBuffer()));
    Module.ccall('talus_open_replay', null, ['string'], ['/' + file.name]);
});
// Keys of the window's that browsers have, too.
addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase();
    if (['f1', '/', "'", 'backspace', 'tab'].includes(key) || (event.ctrlKey && key === 'p')) event.preventDefault();
});
canvas.addEventListener('contextmenu', (event) => event.preventDefault());
canvas.addEventListener('webglcontextlost', () => complain('The browser took the graphics card away. Load the page again.'));
