/**
 * The whole run has a temporary folder of its own. When it ends nothing may be left there: the run fails, and names what is.
 * With `-t`, nothing is asked of it: Vitest ends no file of which it runs no test.
 * (Vitest calls what this returns at the end.)
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

export function setup({ config }: TestProject): () => void {
  const before = process.env['TMPDIR']
  const folder = mkdtempSync(join(tmpdir(), 'svc-tests-'))
  // Some tests give up their rights, and work there all the same.
  chmodSync(folder, 0o1777)
  process.env['TMPDIR'] = folder
  // From Node 22 on TypeScript's compiler leaves there what Node compiled of it.
  process.env['NODE_DISABLE_COMPILE_CACHE'] = '1'
  return () => {
    process.env['TMPDIR'] = before
    if (before === undefined) delete process.env['TMPDIR']
    // Vite's own.
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (path) => !isOfVitest(path),
    )
    rmSync(folder, { recursive: true, force: true })
    if (left.length > 0 && config.testNamePattern === undefined)
      throw new Error(`tests left ${left.length} files behind:\n${left.slice(0, 50).join('\n')}`)
  }
}

/** The folder that vitest writes what it transformed into. */
function isOfVitest(path: string): boolean {
  return /^[\w-]{21}(?:\/|$)/.test(path)
}
