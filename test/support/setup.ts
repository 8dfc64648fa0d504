/**
 * The whole run has its own temporary folder. If files are left there at the end, the run fails and names them, except with `-t`:
 * Vitest does not end a file when it runs none of its tests. (Vitest calls the returned function at the end.)
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

declare module 'vitest' {
  interface ProvidedContext {
    /** `--update`: transcripts are written. */
    readonly isUpdate: boolean
  }
}

export function setup({ config, provide }: TestProject): () => void {
  provide('isUpdate', config.snapshotOptions.updateSnapshot === 'all')
  const before = process.env['TMPDIR']
  const folder = folderInMemory() ?? mkdtempSync(join(tmpdir(), 'svc-tests-'))
  // Some tests give up their rights and still work there.
  chmodSync(folder, 0o1777)
  process.env['TMPDIR'] = folder
  // From Node 22 on, TypeScript's compiler leaves its compiled code there.
  process.env['NODE_DISABLE_COMPILE_CACHE'] = '1'
  return () => {
    process.env['TMPDIR'] = before
    if (before === undefined) delete process.env['TMPDIR']
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (path) => !isOfVitest(path),
    )
    rmSync(folder, { recursive: true, force: true })
    if (left.length > 0 && config.testNamePattern === undefined)
      throw new Error(`tests left ${left.length} files behind:\n${left.slice(0, 50).join('\n')}`)
  }
}

const memory = '/dev/shm'
/** In bytes: more than all tests write. */
const leastRoom = 2 ** 32

/**
 * A folder in memory, unless TMPDIR names another place: waiting for the disk takes half of the time of many tests. Undefined where
 * there is none, it is too small, or programs in it cannot start.
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

/** Whether a path is in the folder for vitest's transformed files. */
function isOfVitest(path: string): boolean {
  return /^[\w-]{21}(?:\/|$)/.test(path)
}
