/**
 * Run files as docs/run-file.md describes them, read and written without the code of svc, so that a mistake in svc's own encoding cannot be in
 * both. Tests write the files that a crash, a damaged disk or another process leaves.
 */
import { readFileSync, writeFileSync } from 'node:fs'

/** A line, with whichever members a test gives it. */
export type FileLine = Readonly<Record<string, unknown>> & { readonly t: string }
/** A line as it stands in a file: with its session, its place there, its time and its checksum. */
export type WrittenLine = FileLine & {
  readonly s: string
  readonly i: number
  readonly at: number
  readonly c: string
}

/** CRC-32 (the polynomial of zip and Ethernet), bit by bit. */
export function crc32Of(bytes: Uint8Array): string {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return ((sum ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0')
}

/** A line as text: one JSON object whose last member is the checksum of the bytes before it, and a line feed. */
export function textOf(line: object): string {
  const text = JSON.stringify(line).slice(0, -1)
  return `${text},"c":"${crc32Of(Buffer.from(text))}"}\n`
}

/** The time of the lines that tests write, in milliseconds since 1970. */
export const writtenAt = Date.parse('2026-03-01T10:15:00.000Z')

/** The lines of a session from its place `i` on, as one write: a line feed, then the lines. */
export function writeOf(s: string, lines: readonly FileLine[], i = 0): string {
  return `\n${lines.map((line, n) => textOf({ s, i: i + n, at: writtenAt, ...line })).join('')}`
}

/** The `session` line of a process of which nothing is known: it may be alive. */
export const sessionOf = (over: string | null = null, after = 0, more: object = {}): FileLine => ({
  t: 'session',
  over,
  after,
  place: null,
  boot: null,
  pid: 4_194_303,
  start: null,
  host: 'desk',
  ...more,
})

/** The good lines of a file, in its order. */
export function linesIn(path: string): WrittenLine[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as WrittenLine)
}

/** A line with the checksum that its members need. */
export function withChecksum(line: FileLine): string {
  const members = Object.entries(line).filter(([name]) => name !== 'c')
  return textOf(Object.fromEntries(members))
}

/** Writes a file again with changed lines, each with the checksum that it needs. */
export function rewrite(
  path: string,
  change: (lines: readonly WrittenLine[]) => readonly FileLine[],
): void {
  const texts = change(linesIn(path)).map((line) => withChecksum(line))
  writeFileSync(path, `\n${texts.join('')}`)
}

/** Each process that worked on the run is gone: the number of this one, which lives on, becomes that of none. */
export function bury(path: string): void {
  rewrite(path, (lines) =>
    lines.map((line) => (line.t === 'session' ? { ...line, pid: 4_194_303 } : line)),
  )
}
