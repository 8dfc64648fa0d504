/** Temporary files and streams for the tests of the readers. */
import * as disk from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { SvcError } from '../../src/errors.ts'
import { readIds, type ReadOptions } from '../../src/input/reader.ts'
import type { Input } from '../../src/input/input.ts'
import { ownFolder } from '../ending.ts'

type IdInput = Awaited<ReturnType<typeof readIds>>

/** A folder that goes with the test file, or when `remove` is called. */
export function temporaryFolder() {
  const path = ownFolder('bulk')
  return {
    path,
    file(name: string, content: string | Uint8Array) {
      const full = join(path, name)
      disk.writeFileSync(full, content)
      return full
    },
    remove: () => disk.rmSync(path, { recursive: true, force: true }),
  }
}

export function fileInput(path: string): Input & { readonly kind: 'file' } {
  return { kind: 'file', path, disk }
}

export function argument(...texts: readonly string[]): Input {
  return { kind: 'words', texts }
}

/** Content as standard input, in chunks of `size` bytes. */
export function stdin(content: string | Uint8Array, size = 65_536): Input & { kind: 'stdin' } {
  const bytes = Buffer.from(content as string)
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
  return { kind: 'stdin', stream: Readable.from(chunks), isTerminal: false }
}

export function read(
  content: string | Uint8Array,
  options: Partial<ReadOptions> = {},
): Promise<IdInput> {
  return readIds([stdin(content)], { skipInvalid: false, allowEmpty: true, ...options })
}

/** The error of a promise that must reject with one of ours. */
export async function refusal(action: Promise<unknown> | (() => unknown)): Promise<SvcError> {
  try {
    await (typeof action === 'function' ? action() : action)
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
  throw new Error('it was not refused')
}

/** The n-th of many different ids. */
export function idOf(n: number): string {
  return `64f0a1b2c3d4e5f6${n.toString(16).padStart(8, '0')}`
}

/** A list of so many ids, made at once. */
export function manyIds(count: number): string {
  let text = ''
  for (let n = 0; n < count; n += 1) text += `${idOf(n)}\n`
  return text
}
