/**
 * The whole run has a temporary folder of its own. When it ends nothing may be left there: the run fails, and names what is.
 * With `-t`, nothing is asked of it: Vitest ends no file of which it runs no test.
 * (Vitest calls what this returns at the end.)
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

export function setup({ config }: TestProject): () => void {
  const before = process.env['TMPDIR']
  const folder = folderInMemory() ?? mkdtempSync(join(tmpdir(), 'svc-tests-'))
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

const memory = '/dev/shm'
/** In bytes: more than all that tests write. */
const leastRoom = 2 ** 32

/**
 * A folder in memory, unless TMPDIR names another place: svc waits for the disk several times in each run, which is half of the time of
 * many tests. Undefined where there is none, it is too small, or nothing in it can be started.
 */
function folderInMemory(): string | undefined {
  if (process.env['TMPDIR'] !== undefined || !existsSync(memory)) return undefined
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize < leastRoom) return undefined
  const folder = mkdtempSync(join(memory, 'svc-tests-'))
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  const { status } = spawnSync(program)
  rmSync(status === 0 ? program : folder, { recursive: true })
  return status === 0 ? folder : undefined
}

/** The folder that vitest writes what it transformed into. */
function isOfVitest(path: string): boolean {
  return /^[\w-]{21}(?:\/|$)/.test(path)
}
