/** svc built from its sources into a folder, as it is or with some of its text replaced. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { build } from 'esbuild'
import { root } from './tool.mjs'

/**
 * A pattern of some code, however prettier breaks its lines and whatever is said of it: between two signs may be white space and
 * comments, and a comma before a bracket.
 */
export function patternOf(code) {
  const signs = code.match(/\w+|[^\w\s]/g) ?? []
  const escaped = signs.map((sign) => sign.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const spaced = escaped.map((sign, index) =>
    /^[)\]}]$/.test(signs[index]) ? `,?\\s*${sign}` : sign,
  )
  return new RegExp(spaced.join('(?:\\s|//[^\\n]*|/\\*[^]*?\\*/)*'), 'g')
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

/** The package has binaries beside it, and a bundle elsewhere does not find it by its name. */
const sqlite = {
  name: 'sqlite',
  setup({ onResolve }) {
    const path = createRequire(import.meta.url).resolve('@photostructure/sqlite')
    onResolve({ filter: /^@photostructure\/sqlite$/ }, () => ({ path, external: true }))
  },
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
    loader: { '.md': 'text', '.bash': 'text', '.fish': 'text', '.zsh': 'text' },
    external: ['typescript', 'node:sqlite'],
    plugins: [replacing(replacements), sqlite],
    logLevel: 'error',
  })
  return outfile
}
