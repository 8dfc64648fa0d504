/**
 * The one build script: src and everything it imports become CommonJS files in dist/, which Node loads as it loads any file. esbuild cuts
 * chunks wherever the source says `import()`; a piece is a file with the chunks that are used together, since a file costs 0.3 ms.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, transform } from 'esbuild'
import { stubs } from './stubs.mjs'

process.chdir(join(import.meta.dirname, '..'))
const options = { platform: 'node', target: 'node20.19', legalComments: 'none' }
const { outputFiles, metafile } = await build({
  ...options,
  // esbuild would take the folder that it began in.
  absWorkingDir: process.cwd(),
  entryPoints: ['src/main.ts', 'src/host.ts', 'src/config/code-folder.ts'],
  bundle: true,
  splitting: true,
  format: 'esm',
  outdir: 'dist',
  write: false,
  metafile: true,
  loader: { '.md': 'text' },
  plugins: [stubs],
})
const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
const chunks = new Map(
  Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
)

/**
 * Pieces of several modules, in this order: what every command asks for, what the help of verbs shares, and what every request asks for.
 * Any other module that the source imports lazily has a piece of its own. What a module imports is in its piece, unless one before has it.
 */
const together = {
  main: ['main', 'host'],
  code: ['config/code-folder'],
  parse: ['program/options', 'program/parse', 'program/verbs'],
  words: ['cli/verb', 'output/columns', 'safe-text', 'api/operations'],
  mistakes: ['program/report', 'output/formats/choice', 'output/fields'],
  run: ['program/run', 'config/profile', 'config/load', 'config/json', 'output/json'],
  api: ['api/client'],
  // Verbs come before what only running them needs: their help loads nothing else.
  verbs: [],
  request: ['http/client', 'http/proxy', 'output/render'],
}

/** The piece of each chunk, by name, and the chunks that the source imports lazily. */
const pieceOf = new Map()
const lazy = new Set()
function assign(name, piece = basename(name, '.js')) {
  if (!chunks.has(name) || pieceOf.has(name)) return
  pieceOf.set(name, piece)
  for (const { kind, path } of chunks.get(name).imports)
    if (kind === 'import-statement') assign(basename(path), piece)
    else lazy.add(basename(path))
}
for (const [piece, modules] of Object.entries(together)) {
  for (const path of modules.map((module) => `src/${module}.ts`))
    for (const [name, { entryPoint, inputs }] of chunks)
      if (entryPoint === path || path in inputs) assign(name, piece)
  const isVerb = (name) => chunks.get(name)?.entryPoint.startsWith('src/commands/')
  if (piece === 'verbs') for (const name of [...lazy].filter(isVerb)) assign(name)
}
lazy.forEach((name) => assign(name))

/**
 * Body of a function that returns what a chunk exports. An import becomes a `require`: esbuild's own CommonJS, which describes and copies
 * each member on its way, costs 49 M instructions of `lists list`. Functions in parentheses, here and around modules of packages, have V8
 * compile them with their piece: 8 M. Nothing but ASCII, also in a pattern, where esbuild leaves it: such a file is read in half the time.
 */
function bodyOf(name, piece) {
  const statement = /^import (?:(?:\* as )?(\w+|\{[^}]*\}) from )?"(.+)";$|\bimport\("([^"]+)"\)/gm
  const body = texts.get(name).replaceAll(statement, (_, names = '{}', now, later) => {
    const path = now ?? later
    const other = pieceOf.get(basename(path))
    const place = other === piece ? '__chunk' : `require('./${other}.js')`
    const found = other === undefined ? `require('${path}')` : `${place}('${basename(path)}')`
    if (later !== undefined) return `Promise.resolve().then(() => ${found})`
    return `const ${names.replaceAll(' as ', ': ')} = ${found};`
  })
  const moduleOfPackage = /^  ("[^"\n]+")(\([^()\n]*\)) \{(.*?)\n  \}\n\}\);$/gms
  return body
    .replaceAll(moduleOfPackage, '$1: (function$2 {$3\n})});')
    .replace(/^export default (.+);$/m, 'return { default: $1 };')
    .replace(/^export (\{[^}]*\});$/m, (_, names) => {
      return `return ${names.replaceAll(/(\w+) as (\w+)/g, '$2: $1')};`
    })
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The text of a piece: a function that evaluates a chunk when it is first asked for. */
async function textOf(piece) {
  const own = [...pieceOf.keys()].filter((name) => pieceOf.get(name) === piece)
  const functions = own.map(async (name) => {
    const text = `${bodyOf(name, piece)}\nreturn {}`
    const { code } = await transform(text, { ...options, format: 'cjs', minify: true })
    return `'${name}':(function(){${code}})`
  })
  return `const made={},chunks={${(await Promise.all(functions)).join()}},
__chunk=module.exports=name=>made[name]??=chunks[name]()\n`
}

/** A package whose code is part of the build, for auditors, and its license, for those who get it. */
async function describe(path) {
  const read = (file) => readFile(`${path}/${file}`, 'utf8')
  const { name, version, license } = JSON.parse(await read('package.json'))
  const { integrity } = JSON.parse(await readFile('package-lock.json', 'utf8')).packages[path]
  const file = (await readdir(path)).find((each) => /^licen[cs]e(?:\.md|\.txt)?$/i.test(each))
  const text = file ? await read(file) : 'The package has no text.\n'
  const listed = { name, version, license, integrity }
  return { listed, license: `${name} ${version} (${license})\n\n${text}` }
}
const packageFolder = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/
const folders = Object.keys(metafile.inputs).flatMap((path) => packageFolder.exec(path)?.[0] ?? [])
const packages = await Promise.all([...new Set(folders)].sort().map(describe))

const files = {
  'package.json': '{"type":"commonjs"}\n',
  'packages.json': `${JSON.stringify(
    packages.map(({ listed }) => listed),
    null,
    2,
  )}\n`,
  'LICENSES.txt': packages.map(({ license }) => license).join(`\n${'-'.repeat(80)}\n\n`),
}
for (const piece of new Set(pieceOf.values())) files[`${piece}.js`] = await textOf(piece)
// Written beside dist, which it replaces at the end: a svc that runs meanwhile never meets half a build.
await rm('dist.next', { recursive: true, force: true })
await mkdir('dist.next')
for (const [name, text] of Object.entries(files)) await writeFile(`dist.next/${name}`, text)
await rm('dist', { recursive: true, force: true })
await rename('dist.next', 'dist')
