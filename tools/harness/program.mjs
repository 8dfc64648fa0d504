/** svc built from its sources into a folder, as it is or with some of its text replaced; and run inside this process. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { isForSvc } from './processes.mjs'
import { root } from './tool.mjs'

/** A pattern of some code, however prettier breaks its lines: between two signs may be any white space, and a comma before a bracket. */
function patternOf(code) {
  const signs = code.match(/\w+|[^\w\s]/g) ?? []
  const escaped = signs.map((sign) => sign.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const spaced = escaped.map((sign, index) =>
    /^[)\]}]$/.test(signs[index]) ? `,?\\s*${sign}` : sign,
  )
  return new RegExp(spaced.join('\\s*'), 'g')
}

/** A text after these replacements. */
export function replaced(text, replacements) {
  return replacements.reduce((now, { from, to }) => now.replace(patternOf(from), () => to), text)
}

/** Throws unless each `from` stands exactly once in its file: a replacement that does not fit makes nothing wrong. */
export function checkReplacements(replacements) {
  for (const { file, from } of replacements) {
    const { length } = readFileSync(join(root, file), 'utf8').match(patternOf(from)) ?? []
    if (length !== 1) throw new Error(`"${from}" stands ${length ?? 0} times in ${file}, not once`)
  }
}

function replacing(replacements) {
  checkReplacements(replacements)
  return {
    name: 'replacing',
    setup(bundle) {
      bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const its = replacements.filter(({ file }) => path === join(root, file))
        return its.length === 0
          ? undefined
          : { contents: replaced(readFileSync(path, 'utf8'), its), loader: 'ts' }
      })
    },
  }
}

/** Bundles the text of a module, which imports from `./src`, into a file and pieces beside it. `replacements`: `{file, from, to}` each. */
export async function bundle(outfile, contents, replacements = [], splitting = true) {
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts', sourcefile: 'program.ts' },
    outdir: dirname(outfile),
    entryNames: basename(outfile, '.mjs'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    loader: { '.md': 'text' },
    external: ['typescript'],
    plugins: [replacing(replacements)],
    logLevel: 'error',
  })
  return outfile
}

/** For a program of which `small-batches.cjs` cannot change the text. */
const smallBatches = ['delete', 'add'].map((name) => ({
  file: `src/runs/operations/${name}.ts`,
  from: 'most: 100',
  to: 'most: Number(process.env.BATCHES_OF ?? 100)',
}))

/** Builds into `folder`: `svc.mjs`, which can be started, and `program.mjs` with `main` and `nodeHost`. */
export async function buildProgram(folder, replacements = []) {
  mkdirSync(folder, { recursive: true })
  const exported = `
    export { main } from './src/main.ts'
    import { nodeHost } from './src/host.ts'
    export { nodeHost }`
  await bundle(join(folder, 'program.mjs'), exported, [...smallBatches, ...replacements])
  const start = join(folder, 'svc.mjs')
  writeFileSync(
    start,
    `import { main, nodeHost } from './program.mjs'
process.exitCode = 1
main(nodeHost(process)).then((code) => (process.exitCode = code))
`,
  )
  return start
}

/** The program of a folder that `buildProgram` made, in this process: thousands of runs take no start each. */
export async function loadProgram(folder) {
  const { main, nodeHost } = await import(pathToFileURL(join(folder, 'program.mjs')).href)
  /** Runs a command line to its end; its waits take no time. */
  async function svc(words, env) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const said = [stdout, stderr].map((stream) => text(stream))
    const real = nodeHost(process)
    let skipped = 0
    const own = {
      argv: words.filter(isForSvc),
      env: { PATH: process.env.PATH, TZ: 'UTC', ...env },
      stdin: Readable.from([]),
      stdout,
      stderr,
      writeAtOnce: undefined,
      isTerminal: { stdin: false, stdout: false, stderr: false },
      columns: () => undefined,
      terminal: () => undefined,
      onSignal: () => () => undefined,
      raise: () => undefined,
      monotonic: () => real.monotonic() + skipped,
      sleep(ms, signal) {
        skipped += ms
        return real.sleep(0, signal)
      },
    }
    const host = Object.create(real, Object.getOwnPropertyDescriptors(own))
    const code = await main(host)
    for (const stream of [stdout, stderr]) stream.end()
    const [printed, told] = await Promise.all(said)
    return { code, stdout: printed, stderr: told }
  }
  return { svc }
}
