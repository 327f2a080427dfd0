// Reads the C header and writes what the build takes from it:
//
//     node generate.mjs talus.h FOLDER
//
//     FOLDER/exports.txt   the functions that talus.wasm exports, for the linker
//     FOLDER/layout.cpp    a program that prints layout.mjs: where the compiler puts the fields of each structure
//
// layout.mjs has
//
//     structs.TalusBodyDef = {size: bytes, fields: {linearVelocity: ['TalusVec3', offset], ...}}
//     enums.TalusBodyType = ['fixed', 'kinematic', 'dynamic']
//     locks = {x: 1, y: 2, ...}
//
// The field of an array has the number of elements as a third entry. The type of a pointer is 'pointer'. A structure or
// union without a name is called by its place: 'TalusJointDef.of'. The header is regular enough for the expressions
// below; a declaration that they do not know stops the build.

import { readFileSync, writeFileSync } from 'node:fs';

/// Functions that JavaScript does not need, and why.
export const leftOut = {
    talus_thread_pool_create: 'load() makes the threads',
    talus_thread_pool_destroy: 'load() makes the threads',
    talus_thread_pool_jobs: 'load() makes the threads',
    talus_hull: 'the shape object has the Hull itself',
    talus_mapping: 'the shape object has the Mapping itself',
    talus_rounded: 'the shape object has the radius',
};

const camel = (name) => name.replace(/_([a-z0-9])/g, (_, c) => c.toUpperCase());

/// Returns the header without comments and directives, with single spaces.
export const readHeader = (path) =>
    readFileSync(path, 'utf8').replace(/\/\/.*$/gm, '').replace(/^#.*$/gm, '').replace(/\s+/g, ' ');

/// Returns the names of all functions.
export const functionsOf = (header) => [...header.matchAll(/TALUS_API\s[^;(]*?\b(talus_\w+)\(/g)].map((m) => m[1]);

/// Returns the members of a structure: [{name, type, array}]. `type` is a list of members for a structure without a
/// name.
function membersOf(body) {
    const members = [];
    while ((body = body.trimStart())) {
        let m;
        if ((m = /^(?:struct|union)\s*\{/.exec(body))) {
            let end = m[0].length;
            for (let depth = 1; depth > 0; ++end) depth += { '{': 1, '}': -1 }[body[end]] ?? 0;
            const inner = body.slice(m[0].length, end - 1);
            const [whole, name, array] = /^\s*(\w+)(\[\w+\])?;/.exec(body.slice(end));
            members.push({ name, type: membersOf(inner), array: Boolean(array) });
            body = body.slice(end + whole.length);
        } else if ((m = /^void \(\*(\w+)\)\([^;]*;/.exec(body))) {
            members.push({ name: m[1], type: 'pointer' });
            body = body.slice(m[0].length);
        } else if ((m = /^(?:const )?(\w+)(\*?) ([^;(){}]+);/.exec(body))) {
            for (const declarator of m[3].split(',')) {
                const [, name, array] = /^\s*(\w+)(\[\w+\])?\s*$/.exec(declarator);
                members.push({ name, type: m[2] ? 'pointer' : m[1], array: Boolean(array) });
            }
            body = body.slice(m[0].length);
        } else {
            throw new Error(`unknown declaration: ${body.slice(0, 60)}`);
        }
    }
    return members;
}

/// Returns statements that print a structure. `root` and `path` say where it is: TalusJointDef and ['of', 'ball'].
function printed(root, path, members) {
    const lines = [];
    const at = [root, ...path].join('.').replaceAll('[0]', '');
    const place = (member) => [...path, member].join('.');
    const size = path.length ? `sizeof(((${root}*)nullptr)->${path.join('.')})` : `sizeof(${root})`;
    const begin = path.length ? `offsetof(${root}, ${path.join('.')})` : '0';
    lines.push(`std::printf("    '${at}': {size: %zu, fields: {", ${size});`);
    for (const { name, type, array } of members) {
        const named = typeof type === 'string' ? type : `${at}.${name}`;
        const member = `((${root}*)nullptr)->${place(name)}`;
        const count = array ? `, static_cast<size_t>(sizeof(${member}) / sizeof(${member}[0]))` : '';
        lines.push(`std::printf("${camel(name)}: ['${named}', %zu${array ? ', %zu' : ''}], ", ` +
            `static_cast<size_t>(offsetof(${root}, ${place(name)}) - ${begin})${count});`);
    }
    lines.push(`std::printf("}},\\n");`);
    for (const { name, type, array } of members) {
        if (typeof type !== 'string') lines.push(...printed(root, [...path, name + (array ? '[0]' : '')], type));
    }
    return lines;
}

/// Returns the names of an enumeration without the words that they share with its type: BALL_JOINT of TalusJointKind is
/// 'ball'.
function enumOf(type, body) {
    const words = type.match(/[A-Z][a-z]+/g).map((word) => word.toUpperCase());
    return body.split(',').map((entry, i) => {
        const [, name, value] = /^\s*TALUS_(\w+) = (\d+)\s*$/.exec(entry);
        if (Number(value) !== i) throw new Error(`${name} is not ${i}`);
        const parts = name.split('_');
        while (parts.length > 1 && words.includes(parts[0])) parts.shift();
        while (parts.length > 1 && words.includes(parts.at(-1))) parts.pop();
        return camel(parts.join('_').toLowerCase());
    });
}

function main(path, folder) {
    const header = readHeader(path);
    const functions = functionsOf(header);
    const structs = [...header.matchAll(/typedef struct (\w+) \{([^]*?)\} \1;/g)];
    const enums = [...header.matchAll(/typedef int32_t (\w+);\s*enum \{([^}]*)\}/g)];
    if (functions.length < 100 || structs.length < 40 || enums.length < 8) throw new Error('declarations are missing');
    for (const name of Object.keys(leftOut)) if (!functions.includes(name)) throw new Error(`there is no ${name}`);

    const exported = functions.filter((name) => !(name in leftOut));
    writeFileSync(`${folder}/exports.txt`, [...exported, 'malloc', 'free'].map((name) => `_${name}\n`).join(''));

    const locks = [...header.matchAll(/TALUS_LOCK_(\w+) = (\d+)/g)].map((m) => `${camel(m[1].toLowerCase())}: ${m[2]}`);
    const text = (string) => JSON.stringify(string).replaceAll('%', '%%');
    writeFileSync(`${folder}/layout.cpp`, `// Written by bindings/js/generate.mjs.
#include <talus/c/talus.h>

#include <cstdio>

int main() {
    std::printf("// Where the compiler put the fields of the structures in talus/c/talus.h.\\nexport const structs = {\\n");
    ${structs.flatMap((m) => printed(m[1], [], membersOf(m[2]))).join('\n    ')}
    std::printf("};\\nexport const enums = {\\n");
    ${enums.map((m) => `std::printf(${text(`    ${m[1]}: ['${enumOf(m[1], m[2]).join("', '")}'],\n`)});`).join('\n    ')}
    std::printf(${text(`};\nexport const locks = {${locks.join(', ')}};\n`)});
}
`);
}

if (process.argv.length === 4) main(...process.argv.slice(2));
