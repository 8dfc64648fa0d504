/** Parts of svc, or of its tests, bundled for a tool. */
import { createRequire } from 'node:module'
import { build } from 'esbuild'
import { root } from './tool.mjs'

/** The package has binaries beside it, and a bundle elsewhere does not find it by its name. */
const sqlite = {
  name: 'sqlite',
  setup({ onResolve }) {
    const path = createRequire(import.meta.url).resolve('@photostructure/sqlite')
    onResolve({ filter: /^@photostructure\/sqlite$/ }, () => ({ path, external: true }))
  },
}

/** Bundles the text of a module, which imports from `./src` or `./test`, into a file. */
export async function bundle(outfile, contents) {
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts', sourcefile: 'program.ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    banner: {
      js: `import { createRequire as requireOf } from 'node:module'
        const require = requireOf(import.meta.url)`,
    },
    loader: { '.md': 'text', '.bash': 'text', '.fish': 'text', '.zsh': 'text' },
    external: ['typescript', 'node:sqlite'],
    plugins: [sqlite],
    logLevel: 'error',
  })
}
