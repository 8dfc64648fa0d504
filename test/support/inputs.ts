import { Readable } from 'node:stream'
import { SvcError } from '../../src/errors.ts'
import type { Host } from '../../src/host.ts'
import { readItems, uniqueItems } from '../../src/input/items.ts'
import { hostWith } from './real-host.ts'

/** A host with this content at its standard input, in chunks of `size` bytes. */
export function hostOf(content: string | Uint8Array | Readable = '', size = 65_536): Host {
  const bytes = Buffer.from(content instanceof Readable ? '' : (content as string))
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
  const stdin = content instanceof Readable ? content : Readable.from(chunks)
  return hostWith({ stdin, isTerminal: { stdin: false, stdout: false, stderr: false } })
}

type ReadOptions = Parameters<typeof readItems>[1]

export type Options = Partial<ReadOptions>

/** Reads ids of contacts, unless options say otherwise; with the notes. */
export async function readFrom(host: Host, options: Options) {
  const notes: string[] = []
  const note = (text: string) => notes.push(text)
  const found = await readItems(host, {
    item: 'contact',
    words: [],
    hide: String,
    ...options,
    note,
  })
  const items = [...uniqueItems(found.items)]
  const { leftOut, withoutId } = found
  const read = found.items.length
  const duplicates = read - items.length
  return { ...found, items, counts: { read, duplicates, leftOut, withoutId }, notes }
}

export function read(content: string | Uint8Array, options: Options = {}) {
  return readFrom(hostOf(content), { words: ['-'], ...options })
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

export function idOf(n: number): string {
  return `64f0a1b2c3d4e5f6${n.toString(16).padStart(8, '0')}`
}
