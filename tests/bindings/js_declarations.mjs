// Reads talus.d.ts, and makes wrong arguments for what it declares: for js_test.mjs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/// Splits a list at a separator that is not within brackets.
function split(list, separator) {
    const parts = [''];
    let depth = 0;
    for (const c of list.replaceAll('=>', '\u21d2')) {
        if ('({<['.includes(c)) ++depth;
        if (')}>]'.includes(c)) --depth;
        if (c === separator && depth === 0) parts.push('');
        else parts[parts.length - 1] += c;
    }
    return parts.map((part) => part.trim().replaceAll('\u21d2', '=>')).filter(Boolean);
}

/// Returns {name, optional, type} of a parameter or field.
function declaration(text) {
    const match = /^(?:readonly )?(\w+)(\??):\s+([^]+)$/.exec(text);
    assert.ok(match, `unknown declaration: ${text}`);
    const [, name, question, type] = match;
    return { name, optional: question === '?', type: type.replace(/\s+/g, ' ') };
}

/// Returns what the file declares: `exported` are the names of its values, and `of` has for each class and interface
/// its `bases`, its `functions` and `statics` with their parameters, and its `fields`; for each other type, what it
/// `is`.
export function readTypes(path) {
    const text = readFileSync(path, 'utf8').replace(/\/\*[^]*?\*\//g, '').replace(/\/\/.*$/gm, '');
    const of = {};
    const block = /^(?:export )?(?:declare )?(?:class|interface) (\w+)(?: extends ([^{]+))? \{\n([^]*?)^\}/gm;
    for (const [, name, bases, body] of text.matchAll(block)) {
        const type = (of[name] = { bases: split(bases ?? '', ','), functions: {}, statics: {}, fields: {} });
        for (const member of split(body, ';').filter((member) => !member.startsWith('['))) {
            const call = /^(static )?(\w+)\??(?:<[^>]*>)?\(([^]*)\)(?:: [^]*)?$/.exec(member);
            if (!call) {
                type.fields[declaration(member).name] = declaration(member);
                continue;
            }
            const functions = call[1] ? type.statics : type.functions;
            const shorter = functions[call[2]] ?? { length: Infinity };  // the overload before this one
            functions[call[2]] = split(call[3], ',').map(declaration);
            functions[call[2]].forEach((parameter, i) => { parameter.optional ||= i >= shorter.length; });
        }
    }
    for (const [, name, type] of text.matchAll(/^export type (\w+) =([^]*?);$/gm)) {
        of[name] ??= { is: type.replace(/\s+/g, ' ').trim() };
    }
    return { of, exported: [...text.matchAll(/^export declare (?:class|function|const) (\w+)/gm)].map((m) => m[1]) };
}

/// Returns a value as text, for messages.
export function textOf(value) {
    const text = (v) => (['object', 'boolean'].includes(typeof v) ? v : String(v));
    return JSON.stringify(value, (_, v) => text(v)) ?? String(value);
}

/// Returns the function (type, name, good) that makes wrong values of a type: [{value, name, may}]. An error must name
/// `name`. `may`: the value need not be refused, and the error may name anything. `good` is a right value: wrong values
/// of structures differ from it in one field. `byName` and `byType` have right values for fields; `handles` are stale
/// or foreign.
export function wrongArguments(types, { byName, byType, handles }) {
    const nothing = [null, 'x', Symbol('s'), 5n];
    const noNumber = [...nothing, () => 0, true, {}, [1]];
    const noObject = [...nothing, true, 5];
    const nested = (list, wrap) => list.map(({ value, ...more }) => ({ value: wrap(value), ...more }));

    /// Wrong values that differ from `good` in one of the fields.
    function wrongFields(fields, good, depth) {
        return fields.flatMap(({ name, type, optional }) => {
            const { [name]: right = byName[name] ?? byType[type.replace(' | null', '')], ...rest } = good;
            const wrong = nested(wrongOf(type, name, right, depth + 1), (value) => ({ ...good, [name]: value }));
            return optional ? wrong : [...wrong, { value: rest, name }];
        });
    }

    function wrongOf(type, name, good, depth = 0) {
        const must = (values, as = name) => values.map((value) => ({ value, name: as }));
        const may = (values) => values.map((value) => ({ value, name, may: true }));
        if (type.endsWith(' | null')) {
            return wrongOf(type.slice(0, -' | null'.length), name, good, depth).filter(({ value }) => value !== null);
        }
        switch (type) {
            case 'number':
                return [
                    ...must([...noNumber, NaN]),
                    ...may([Infinity, -Infinity, -1, 0.5, 1e300, -1e300, 2 ** 31, 2 ** 32, 2 ** 53, 5e-324]),
                ];
            case 'BodyId': case 'JointId': case 'BodyId | JointId':
                return must([...noNumber, ...handles, NaN, -1, 0, 0.5, 2 ** 53, 1e300, Infinity]);
            case 'Vector':
                return [
                    ...must([...noObject, [1, 2], [1, 2, '3'], [1, 2, 3, 4], [0, 0, 5n], { x: 1, y: 2 }, new Float32Array(2)]),
                    ...must([[NaN, 0, 0], [0, Infinity, 0]]),
                    ...may([[1e300, 0, 0], [1e38, 1e38, 1e38], [-0, 0, 0]]),
                ];
            case 'Rotation':
                return must([...noObject, [0, 0, 0], [0, 0, 0, 0], [NaN, 0, 0, 1], [0, 0, 0, '1'], { x: 0, y: 0, z: 0 }]);
            case 'ArrayLike<number>':
                return must([...noObject, [1], new Array(9).fill(NaN), new Array(9).fill('1')]);
            case 'boolean':
                return must([...nothing, 0, 1, NaN, {}]);
            case 'string':
                return must([null, 5, {}, Symbol('s'), '']);
            case 'UserData':
                return must([null, 'x', {}, true, -1, 0.5, NaN, 2 ** 53, -1n, 2n ** 64n]);
            case 'BodyIds': case 'Numbers': case 'Numbers | readonly Vector[]':
                return [
                    ...must([...noObject, {}, ['x'], [null, null, null], new DataView(new ArrayBuffer(8)), new BigInt64Array(3)]),
                    ...may([[NaN], [-1], [1e300], [0.5], []]),
                ];
            case 'Bytes':
                return [
                    ...must([...noObject, [1, 2], {}, { length: 2, byteLength: 2 }]),
                    ...must([new Uint8Array(3), new ArrayBuffer(8), new Float32Array(2), new DataView(new ArrayBuffer(9))], ''),
                ];
            case 'World': case 'Hull': case 'Mapping': case 'Mesh': case 'Assets': case 'Hull | Mesh':
                return must([...noObject, {}, []]);
            case 'T':  // what results go to
                return must([...noObject, {}, { x: 0, y: 0 }, new Map()]);
            case 'Shape':
                return [
                    ...must(noObject),
                    ...must([{}, { type: 'nonsense' }, { type: 5 }], 'type'),
                    ...must([{ type: 'sphere' }, { type: 'sphere', radius: NaN }], 'radius'),
                    ...must([{ type: 'box' }, { type: 'box', halfExtents: [1, 1] }], 'halfExtents'),
                    ...must([{ type: 'box', halfExtents: [1, NaN, 1] }], 'half extent'),
                    ...must([{ type: 'capsule', radius: 1 }], 'halfExtents'),
                    ...must([{ type: 'segment', points: [[0, 0, 0], 5] }], 'points'),
                    ...must([{ type: 'hull' }, { type: 'hull', hull: {} }, { type: 'hull', hull: 5 }], 'hull'),
                    ...must([{ type: 'superellipsoid' }, { type: 'convexSum', mapping: {} }], 'mapping'),
                    ...must([{ type: 'superellipsoid', mapping: null }], 'superellipsoid'),
                    ...must([{ type: 'sphere', radius: 1, nonsense: 1 }], 'nonsense'),
                ];
            case 'JointDef':
                return split(types.of.JointDef.is, '|').flatMap((kind) => {
                    const word = kind[0].toLowerCase() + kind.slice(1, -'Def'.length);
                    const { jointA, jointB } = byName;
                    const def = word === 'gear' ? { kind: word, jointA, jointB } : { ...good, kind: word };
                    return [...wrongOf(kind, name, def, depth), ...must([{ ...def, kind: 'nonsense' }], 'kind')];
                });
            case 'DebugDraw':
                return [...must(noObject), ...must([{ line: 5 }], 'line'), ...must([{ text: {} }], 'text')];
        }
        if (/^\(\(.*\) => /.test(type)) return must(['x', Symbol('s'), 5n, {}, 5]);
        if (/^'/.test(types.of[type]?.is ?? type)) return must([...nothing, '', 5, NaN, {}]);
        if (type.endsWith('[]')) {
            const element = good?.[0] ?? {};
            const elements = depth > 2 ? [] : nested(wrongOf(type.slice(0, -2), name, element, depth + 1), (value) => [value]);
            return [...must([...noObject, {}, { length: 2 }, [5], [null], ['x']]), ...elements];
        }
        let fields;
        if (type.startsWith('{')) {
            fields = split(type.slice(1, -1), ';').map(declaration);
        } else {
            assert.ok(types.of[type]?.fields, `no wrong values of the type ${type}`);
            const all = (t) => [...types.of[t].bases.flatMap(all), ...Object.values(types.of[t].fields)];
            fields = all(type).filter((field) => field.name !== 'kind');
        }
        return [
            ...must(noObject), ...must([{ ...good, nonsense: 1 }], 'nonsense'),
            ...(depth > 3 ? [] : wrongFields(fields, good ?? {}, depth)),
        ];
    }
    return wrongOf;
}
