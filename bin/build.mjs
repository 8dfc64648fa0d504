/**
 * The one build script: src and everything it imports become CommonJS files in dist/, which Node loads as it loads any file. esbuild cuts
 * chunks wherever the source says `import()`; a piece is a file with the chunks that are used together, since a file costs 0.3 ms.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

// Before esbuild is loaded, which resolves paths from the folder that it began in.
process.chdir(join(import.meta.dirname, '..'))

const { build, transform } = await import('esbuild').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  // `npm install -g .` in a fresh clone installs nothing that builds.
  console.error('esbuild, which builds svc, is not installed here. First: npm ci')
  process.exit(1)
})
const { stubs } = await import('./stubs.mjs')

/** Built beside dist, which it replaces at the end: a svc that runs meanwhile never meets half a build. */
const next = join(process.cwd(), 'dist.next')
const options = { platform: 'node', target: 'node20.19', legalComments: 'none' }
const { outputFiles, metafile } = await build({
  ...options,
  entryPoints: ['src/main.ts', 'src/host.ts', 'src/config/code-folder.ts'],
  bundle: true,
  splitting: true,
  format: 'esm',
  outdir: next,
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
function assign(name, piece) {
  if (!chunks.has(name) || pieceOf.has(name)) return
  pieceOf.set(name, piece)
  for (const { kind, path } of chunks.get(name).imports)
    if (kind === 'import-statement') assign(basename(path), piece)
    else lazy.add(basename(path))
}
function assignModules(modules, piece) {
  for (const path of modules.map((module) => `src/${module}.ts`))
    for (const [name, { entryPoint, inputs }] of chunks)
      if (entryPoint === path || path in inputs) assign(name, piece)
}
const assignOwn = (name) => assign(name, basename(name, '.js'))
const isVerb = (name) => chunks.get(name)?.entryPoint.startsWith('src/commands/') === true
for (const [piece, modules] of Object.entries(together)) {
  assignModules(modules, piece)
  if (piece === 'verbs') for (const name of [...lazy].filter(isVerb)) assignOwn(name)
}
lazy.forEach(assignOwn)

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

/** Writes a piece: a function that evaluates a chunk when it is first asked for. */
async function writePiece(piece) {
  const own = [...pieceOf.keys()].filter((name) => pieceOf.get(name) === piece)
  const functions = own.map(async (name) => {
    const text = `${bodyOf(name, piece)}\nreturn {}`
    const { code } = await transform(text, { ...options, format: 'cjs', minify: true })
    return `'${name}':(function(){${code}})`
  })
  const text = `const made={},chunks={${(await Promise.all(functions)).join()}},
__chunk=module.exports=name=>made[name]??=chunks[name]()\n`
  await writeFile(join(next, `${piece}.js`), text)
}

/** Writes the packages whose code is part of the build, for auditors, and their licenses, for those who get it. */
async function writePackages() {
  const read = async (path) => JSON.parse(await readFile(path, 'utf8'))
  const { packages: locked } = await read('package-lock.json')
  const folder = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/
  const paths = Object.keys(metafile.inputs).flatMap((path) => folder.exec(path)?.[0] ?? [])
  const [packages, licenses] = [[], []]
  for (const path of [...new Set(paths)].sort()) {
    const { name, version, license } = await read(`${path}/package.json`)
    packages.push({ name, version, license, integrity: locked[path].integrity })
    const file = (await readdir(path)).find((each) => /^licen[cs]e(?:\.md|\.txt)?$/i.test(each))
    const text = file ? await readFile(`${path}/${file}`, 'utf8') : 'The package has no text.\n'
    licenses.push(`${name} ${version} (${license})\n\n${text}`)
  }
  await writeFile(join(next, 'packages.json'), `${JSON.stringify(packages, null, 2)}\n`)
  await writeFile(join(next, 'LICENSES.txt'), licenses.join(`\n${'-'.repeat(80)}\n\n`))
}

await rm(next, { recursive: true, force: true })
await mkdir(next)
await Promise.all([...new Set(pieceOf.values())].map(writePiece))
await writeFile(join(next, 'package.json'), '{"type":"commonjs"}\n')
await writePackages()
await rm('dist', { recursive: true, force: true })
await rename(next, 'dist')
