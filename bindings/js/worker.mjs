// A thread of the library: threads.mjs starts it. It takes tasks until it is ended.

import { instantiated, ofNode } from './module.mjs';

async function work({ module, buffer, board, worker, stack, origin }, tell) {
    const ahead = performance.timeOrigin - origin;  // all threads have the first one's clock
    const nothing = () => {};
    try {
        const { C } = await instantiated(module, { buffer, grown: nothing, high: nothing, now: () => performance.now() + ahead });
        C.stackRestore(stack);
        C.talus_js_begin_thread(true, true);
        tell('ready');
        C.talus_js_work(board, worker);
    } catch (error) {
        tell(String(error));
    }
}

// Without `await` out here: a message that comes while a module waits can be lost.
if (typeof postMessage === 'undefined') {
    ofNode('worker_threads').then(({ workerData, parentPort }) =>
        work(workerData, (message) => parentPort.postMessage(message)));
} else {
    onmessage = ({ data }) => work(data, postMessage.bind(globalThis));
}
