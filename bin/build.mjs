/**
 * The one build script: src and everything it imports become a few CommonJS files in dist/, which Node loads as it loads any file.
 *
 * A piece holds the chunks that are used together, since a file costs 0.3 ms; each chunk is evaluated when another one imports it. An
 * `import()` becomes a `require`: a native `import()` of CommonJS costs tens of milliseconds on Node 20.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { needless } from './needless.mjs'
import { billOfMaterials, licenses, packagesOf } from './packages.mjs'

// Before esbuild is loaded, which resolves paths from the folder that it began in.
process.chdir(join(import.meta.dirname, '..'))

const { build, transform } = await import('esbuild').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
  // `npm install -g .` in a fresh clone installs nothing that builds.
  console.error('esbuild, which builds svc, is not installed here. First: npm ci')
  process.exit(1)
})

/** Built beside dist, which it replaces at the end: a svc that runs meanwhile never meets half a build. */
const next = join(process.cwd(), 'dist.next')

/** The pieces by the modules that they begin with; whatever those import statically belongs to them, unless a piece before has it.
 * Modules of verbs come before those that only running them needs: their help loads nothing else. */
const pieces = {
  main: /^src\/(main|host)\.ts$/,
  code: /^src\/config\/code-folder\.ts$/,
  parse: /^src\/program\/(parse|options|verbs)\.ts$/,
  words: /^src\/(cli\/verb|output\/columns|views\/bulk|commands\/schema-of)\.ts$/,
  verbs:
    /^src\/(cli\/input-options|api\/operations|output\/text\/safe|commands\/directory|input\/id)\.ts$/,
  mistakes: /^src\/(program\/report|output\/(formats\/choice|fields))\.ts$/,
  completion: /^src\/program\/completion\.ts$/,
  profile: /^src\/(config\/profile|program\/run|http\/proxy)\.ts$/,
  api: /^src\/api\/client\.ts$/,
  secure: /^src\/config\/network\.ts$/,
  table: /^src\/output\/formats\/table\.ts$/,
  lists: /^src\/commands\/lists\/list\.ts$/,
  members: /^src\/commands\/lists\/(get|members)\.ts$/,
  reads: /^src\/commands\/((contacts|tickets|employees)\/(list|get|find)|whoami)\.ts$/,
  changes:
    /^src\/commands\/(lists\/(create|update|add-contacts)|contacts\/(delete|merge)|tickets\/assign)\.ts$/,
  runs: /^src\/(commands\/runs\/(?!reading)\w+|bulk\/telling\/teller)\.ts$/,
  profiles: /^src\/commands\/profiles\/(add|list|remove|use)\.ts$/,
  others:
    /^src\/commands\/(contacts\/(duplicates|match)|tickets\/history|(plans|ids)\/\w+|(\w+)\/\4)\.ts$/,
  network: /^src\/(http\/client|output\/render|cli\/near-names)\.ts$/,
  yaml: /node_modules\/js-yaml\//,
  configuration: /^src\/config\/(load|schema|json)\.ts$|node_modules\/cosmiconfig\//,
  nouns: /^src\/(commands\/(?!sandbox)|program\/help\/)/,
  bulk: /^src\/(bulk\/sessions\/(session|plan)|output\/progress)\.ts$/,
  xlsx: /^src\/(workbook|input\/sheet)/,
  people: /^src\/directory\//,
  sandbox: /^src\/(sandbox|commands\/sandbox)\//,
  rest: /./,
}

/** Options of both steps. */
const options = { platform: 'node', target: 'node20.19', legalComments: 'none' }

/** The modules of src and of packages without what nobody uses, cut wherever the source says `import()`. */
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
  plugins: [needless],
})
const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
const chunks = new Map(
  Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
)

/** The piece of each chunk, by name. */
const pieceOf = new Map()
function assign(name, piece) {
  if (!chunks.has(name) || pieceOf.has(name)) return
  pieceOf.set(name, piece)
  for (const { kind, path } of chunks.get(name).imports)
    if (kind === 'import-statement') assign(basename(path), piece)
}
for (const [piece, first] of Object.entries(pieces))
  for (const [name, { entryPoint = name, inputs }] of chunks)
    if ([entryPoint, ...Object.keys(inputs)].some((path) => first.test(path))) assign(name, piece)

/**
 * Body of a function that returns what a chunk exports: esbuild's own CommonJS describes and copies each member on its way. Nothing but
 * ASCII, also in a pattern, where esbuild leaves it: such a file is read in half the time.
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
  return body
    .replaceAll(
      /^  ("[^"\n]+")(\([^()\n]*\)) \{(.*?)\n  \}\n\}\);$/gms,
      '$1: (function$2 {$3\n})});',
    )
    .replace(/^export default (.+);$/m, 'return { default: $1 };')
    .replace(
      /^export (\{[^}]*\});$/m,
      (_, names) => `return ${names.replaceAll(/(\w+) as (\w+)/g, '$2: $1')};`,
    )
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Writes a piece: a function that evaluates a chunk when it is first asked for. The parentheses, here and around modules of packages,
 * have V8 compile it with its piece, instead of a first look without them; arrows would be parsed anew with whatever is around them.
 */
async function writePiece(piece) {
  const own = [...pieceOf.keys()].filter((name) => pieceOf.get(name) === piece)
  const functions = own.map(async (name) => {
    const { code } = await transform(`${bodyOf(name, piece)}\nreturn {}`, {
      ...options,
      format: 'cjs',
      minify: true,
    })
    return `'${name}':(function(){${code}})`
  })
  const text = `const made={},chunks={${(await Promise.all(functions)).join()}},
__chunk=module.exports=name=>made[name]??=chunks[name]()\n`
  await writeFile(join(next, `${piece}.js`), text)
}

await rm(next, { recursive: true, force: true })
await mkdir(next)
await Promise.all(Object.keys(pieces).map(writePiece))
await writeFile(join(next, 'package.json'), '{"type":"commonjs"}\n')
const packages = await packagesOf(Object.keys(metafile.inputs))
await writeFile(join(next, 'LICENSES.txt'), await licenses(packages))
await writeFile(join(next, 'sbom.cdx.json'), await billOfMaterials(packages))

await rm('dist', { recursive: true, force: true })
await rename(next, 'dist')
