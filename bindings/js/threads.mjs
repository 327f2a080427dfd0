// The threads of load({ threads }): workers that wait for the tasks of steps (JobBoard in common/job_board.h).

import { structs } from './layout.mjs';
import { canSleep, ofNode } from './module.mjs';

const stackBytes = 1048576;  // as the first thread's

/// Starts a worker, and returns it when it takes tasks. `address`: of worker.mjs, if it is not beside this file.
async function started(setup, address) {
    let worker;
    const answer = new Promise((done, failed) => {
        const take = (message) => (message === 'ready' ? done() : failed(new Error(`a worker of Talus did not start: ${message}`)));
        if (typeof Worker === 'undefined') {
            ofNode('worker_threads').then((node) => {
                worker = new node.Worker(address ?? new URL('./worker.mjs', import.meta.url), { workerData: setup, execArgv: [] });
                worker.once('message', take).once('error', take);
            }).catch(failed);
        } else {
            worker = address ? new Worker(address, { type: 'module' })
                : new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' });  // bundlers know this form
            worker.postMessage(setup);
            worker.onmessage = ({ data }) => take(data);
            worker.onerror = (event) => take(event.message ?? 'worker.mjs cannot be loaded');
        }
    });
    await answer;
    worker.unref?.();  // in Node: the program ends all the same
    return worker;
}

const ended = new FinalizationRegistry((workers) => workers.forEach((worker) => worker.terminate()));

/// Starts `count` workers on the memory `buffer` of the library, and returns {count, jobs, tasks}: `jobs` is the address of
/// what a step needs to know, and tasks() returns how many tasks the workers have done. They end when nothing refers to the
/// library's functions any more; none works between steps.
export async function startWorkers(C, memory, module, buffer, count, address) {
    const jobs = memory.permanent(structs.TalusJobs.size);
    const board = C.talus_js_make_board(count, canSleep(), jobs);
    // A compiler relies on stacks that begin at multiples of 16.
    const setups = Array.from({ length: count }, (_, worker) =>
        ({ module, buffer, board, worker, stack: (memory.permanent(stackBytes) + stackBytes) & ~15, origin: performance.timeOrigin }));
    const results = await Promise.allSettled(setups.map((setup) => started(setup, address)));
    const workers = results.flatMap(({ value }) => value ?? []);
    const failure = results.find(({ status }) => status === 'rejected');
    if (failure) {
        workers.forEach((worker) => worker.terminate());
        throw failure.reason;
    }
    ended.register(C, workers);
    return { count, jobs, tasks: () => C.talus_js_tasks_of_workers(board) };
}
