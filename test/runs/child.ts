/** Real processes for the tests of locks, permissions and crashes: Node 20 runs no TypeScript, so the module is built. */
import { buildSync } from 'esbuild'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { start, type SpawnOptions } from './spawned.ts'

/** Builds these files below `src` into one module that every script can import, readable for everybody. */
export function buildBulk(...files: string[]) {
  const path = mkdtempSync(join(tmpdir(), 'svc-child-'))
  chmodSync(path, 0o755)
  buildSync({
    loader: { '.md': 'text', '.bash': 'text', '.fish': 'text', '.zsh': 'text' },
    stdin: {
      contents: files
        .map((file) => `export * from ${JSON.stringify(resolve('src', file))}`)
        .join('\n'),
      resolveDir: process.cwd(),
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile: join(path, 'bulk.mjs'),
    logLevel: 'error',
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  })
  let scripts = 0
  /** Writes such a script down; returns its path. */
  const write = (script: string): string => {
    const file = join(path, `script-${(scripts += 1)}.mjs`)
    writeFileSync(file, script)
    return file
  }
  return {
    write,
    /** Starts `script` (a module that may import `./bulk.mjs`) with these arguments. */
    start(
      script: string,
      args: readonly string[] = [],
      { uid, env }: Pick<SpawnOptions, 'uid' | 'env'> = {},
    ) {
      const child = start(process.execPath, [write(script), ...args], {
        cwd: path,
        uid,
        env: { ...process.env, ...env },
      })
      return Object.assign(child, { finished: child.ended })
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
