/** A long history through a reader that is slow: real processes, byte for byte. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bin } from '../runs/spawned.ts'
import { ownFolder } from '../ending.ts'
import { answering, http } from '../http/loopback.ts'
import { root } from '../svc.ts'
import { amount } from '../amount.ts'

const megabytes = amount(3)
const size = megabytes * 1_000_000
const mostMemory = 150
const ticket = '000000000000000000000001'
const timeout = 180_000

/** The messages that the service sends and svc must print, a line each. Some text is not ASCII, some is escaped. */
function message(n: number): { id: string; sentAt: string; direction: string; text: string } {
  const text = `${n} „Grüße“ 客户 "quoted" \\ and a tab\t`.repeat(40 + (n % 20))
  return { id: String(n), sentAt: '2026-03-01T10:15:00.000Z', direction: 'incoming', text }
}

/** The lines that svc writes: each names the ticket of its message. */
const lineOf = (n: number): string => `${JSON.stringify({ ticketId: ticket, ...message(n) })}\n`
let [last, expectedLength] = [0, 0]
while (expectedLength < size) expectedLength += Buffer.byteLength(lineOf((last += 1)))

/** The hash of all of it. The history is read from the newest to the oldest, and printed as it comes. */
function whole(): string {
  const hash = createHash('sha256')
  for (let n = last; n > 0; n -= 1) hash.update(lineOf(n))
  return hash.digest('hex')
}

const server = await answering((socket, request) => {
  const [, path = '/'] = request.split(' ')
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const from = Number(searchParams.get('chunkLastMessageId') ?? last)
  const messages = Array.from({ length: Math.min(20, from) }, (_, index) => message(from - index))
  const next = from - 20
  const data = pathname.endsWith('/history')
    ? {
        ticket: { id: ticket, status: 'active' },
        messages,
        ...(next > 0 ? { nextChunkStartMessageId: String(next) } : {}),
      }
    : []
  socket.write(http(200, JSON.stringify({ data })))
})
const folder = ownFolder('pipes')
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  SVC_BASE_URL: server.baseUrl,
  SVC_API_KEY: 'pk_pipes',
  SVC_API_SECRET: 'secret-of-the-pipes',
}

/** `svc tickets history … | <reader>`, in a shell; what the reader prints is hashed as it comes. `memory`: MB. */
async function piped(reader: string) {
  const memory = join(folder, 'memory')
  const svc = `"${process.execPath}" --require "${join(root, 'tools/bench/memory.cjs')}" "${bin}"`
  const line = `{ ${svc} tickets history ${ticket} --limit all -o ndjson; echo "code $?" >&2; } | ${reader}`
  const child = spawn('/bin/sh', ['-c', line], {
    env: { ...env, BENCH_MEMORY: memory },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const hash = createHash('sha256')
  let length = 0
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => {
    hash.update(chunk)
    length += chunk.length
  })
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  await new Promise<void>((resolve) => child.once('close', () => resolve()))
  const peak = Number(readFileSync(memory, 'utf8')) / 1024
  return { stderr, length, hash: hash.digest('hex'), memory: peak }
}

/** Reads 64 KiB at a time and then waits. */
const slow = `"${process.execPath}" -e '
  const { readSync, writeSync } = require("node:fs")
  const buffer = Buffer.alloc(65536)
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    let length = 0
    try { length = readSync(0, buffer) } catch (error) { if (error.code === "EAGAIN") continue; throw error }
    if (length === 0) break
    for (let at = 0; at < length;) at += writeSync(1, buffer, at, length - at)
    Atomics.wait(pause, 0, 0, 6)
  }'`

it('a slow reader gets every byte, and memory stays flat', { timeout }, async () => {
  const { memory, ...ended } = await piped(slow)
  expect(ended).toEqual({ stderr: 'code 0\n', length: expectedLength, hash: whole() })
  expect(memory).toBeLessThan(mostMemory)
})
