/**
 * The one build script: src and everything it imports become CommonJS files in dist/. esbuild bundles them into chunks, cut wherever the source
 * says `import()`, so a command loads only what it needs. Its `transform` then makes each chunk CommonJS, which Node loads faster than ES
 * modules, and minifies it. Lines stay short because Node parses a whole line when it describes where an error was thrown.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, transform } from 'esbuild'

const root = join(import.meta.dirname, '..')
process.chdir(root)

/** Writes the summary of each verb, the first line of its page, to the table that `svc --help` needs. */
async function writeSummaries() {
  const summaries = {}
  for (const page of (await readdir('src/commands', { recursive: true })).sort()) {
    if (!page.endsWith('.ts')) continue
    const text = await readFile(`src/commands/${page}`, 'utf8')
    const found = /= defineVerb\(\{\n {2}summary:\s+(['"])(.*)\1,\n/.exec(text)
    const path = page.replace('.ts', '').replaceAll('/', ' ')
    if (found !== null) summaries[path] = found[2]
    else if (text.includes('defineVerb('))
      throw new Error(`${page}: the summary is not its first line`)
  }
  await writeFile('src/program/summaries.json', `${JSON.stringify(summaries, null, 2)}\n`)
}
await writeSummaries()

/** Modules that the help of a verb and the message of a mistake need. */
const core = [
  ...['program/parser', 'program/report', 'program/commands'],
  ...['output/result', 'identifiers'],
]

/**
 * Every module that is loaded later imports the core as well, and one that only a running command loads also what runs it. esbuild
 * makes a chunk of the modules that the same entries reach, so each of both is one chunk: without this they are forty, and each costs
 * a quarter of a millisecond at the start of a command.
 */
const withCore = {
  name: 'with-core',
  setup({ onResolve, onLoad }) {
    const importsOf = (modules) =>
      modules.map((module) => `import '${root}/src/${module}.ts'\n`).join('')
    onResolve({ filter: /^\..*\.ts$/ }, ({ importer, kind, path, resolveDir }) => {
      // The entrance asks for `config/paths` before Node keeps compiled code: what comes with it is compiled at each start.
      if (kind !== 'dynamic-import' || importer === '<stdin>') return undefined
      return { path: join(resolveDir, path), namespace: 'with-core' }
    })
    onLoad({ filter: /.*/, namespace: 'with-core' }, ({ path }) => {
      const isLate = !path.startsWith(`${root}/src/program/`)
      const contents = importsOf(isLate ? [...core, 'program/act'] : core)
      return { contents: `${contents}export * from ${JSON.stringify(path)}`, resolveDir: root }
    })
    // The pages of verbs, which are imported by a pattern.
    onLoad({ filter: /src\/commands\/.*\.ts$/ }, async ({ path }) => {
      return { contents: importsOf(core) + (await readFile(path, 'utf8')), loader: 'ts' }
    })
  },
}

/** Core modules that packages import and that svc never needs. Loading them costs as much as half the start of Node. */
const absent = {
  // commander starts other programs with it, undici speaks HTTP/2, cosmiconfig searches folders, undici answers as a server.
  name: 'absent',
  setup({ onResolve, onLoad }) {
    const stubs = [
      [/commander/, /child_process/, 'exports.spawn = undefined'],
      [/undici/, /http2/, 'exports.constants = {}'],
      [
        /undici/,
        /^(?:node:)?http$/,
        'exports.maxHeaderSize = 16384\nexports.IncomingMessage = class {}',
      ],
      [/cosmiconfig/, /fs\/promises/, 'exports.default = {}'],
      // svc decides whether there is color.
      [/chalk/, /^#supports-color$/, 'exports.default = { stdout: false, stderr: false }'],
    ]
    onResolve(
      { filter: /^(?:(?:node:)?(?:child_process|http2?|fs\/promises)|#supports-color)$/ },
      ({ importer, path }) => {
        const stub = stubs.find(([by, module]) => by.test(importer) && module.test(path))
        if (stub !== undefined)
          return { path: `${path} without use`, namespace: 'absent', pluginData: stub[2] }
      },
    )
    onLoad({ filter: /.*/, namespace: 'absent' }, ({ pluginData }) => ({ contents: pluginData }))
  },
}

const options = { platform: 'node', target: 'node20.19', legalComments: 'none' }
const { outputFiles, metafile } = await build({
  ...options,
  // Otherwise esbuild resolves paths in the folder it was started in.
  absWorkingDir: root,
  // One file, because every command loads it.
  stdin: {
    contents: `export { main } from './src/main.ts'
      export { nodeHost } from './src/node-host.ts'
      export const loadPaths = () => import('./src/config/paths.ts')`,
    resolveDir: root,
  },
  entryNames: 'main',
  bundle: true,
  splitting: true,
  format: 'esm',
  outdir: 'dist',
  write: false,
  metafile: true,
  loader: { '.md': 'text', '.bash': 'text', '.fish': 'text', '.zsh': 'text' },
  // cosmiconfig loads them for configurations that are executed, and for JSON, which svc reads itself.
  external: ['typescript', 'import-fresh', 'parse-json'],
  plugins: [absent, withCore],
})

/** A package whose code is part of the build, for auditors, and its license, for those who get it. */
async function describe(path) {
  const read = (file) => readFile(`${path}/${file}`, 'utf8')
  const { name, version, license } = JSON.parse(await read('package.json'))
  const { integrity } = JSON.parse(await readFile('package-lock.json', 'utf8')).packages[path]
  const file = (await readdir(path)).find((each) => /^licen[cs]e(?:\.md|\.txt)?$/i.test(each))
  const text = file ? await read(file) : 'The package has no text.\n'
  return { name, version, license, integrity, text: `${name} ${version} (${license})\n\n${text}` }
}
const packageFolder = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/
const folders = Object.keys(metafile.inputs).flatMap((path) => packageFolder.exec(path)?.[0] ?? [])
const packages = await Promise.all([...new Set(folders)].sort().map(describe))

const files = {
  'package.json': '{"type":"commonjs"}\n',
  'packages.json': JSON.stringify(packages, ['name', 'version', 'license', 'integrity'], 2),
  'LICENSES.txt': packages.map(({ text }) => text).join(`\n${'-'.repeat(80)}\n\n`),
}
const commonJs = { format: 'cjs', supported: { 'dynamic-import': false } }
const small = { minify: true, lineLimit: 160 }
for (const { path, text } of outputFiles)
  files[basename(path)] = (await transform(text, { ...options, ...commonJs, ...small })).code

// Written beside dist, which it replaces at the end: a svc that runs meanwhile never meets half a build.
await rm('dist.next', { recursive: true, force: true })
await mkdir('dist.next')
for (const [name, text] of Object.entries(files)) await writeFile(`dist.next/${name}`, text)
await rm('dist', { recursive: true, force: true })
await rename('dist.next', 'dist')
