/** The stack traces of -vv, which people put into bug reports: sources and lines, and no folder of whoever built svc. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { programForAnyone, root } from '../svc.ts'

const bin = programForAnyone()
const dist = join(bin, '../../dist')

function frames(): string[] {
  const { stderr } = spawnSync(process.execPath, [bin, 'lists', 'list', '-vv'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
  })
  const lines = stderr.split('\n')
  const first = lines.findIndex((line) => line.startsWith('SvcError: there is no profile'))
  expect(first).toBeGreaterThan(0)
  return lines.slice(first + 1).filter((line) => line !== '')
}

describe('a stack trace', () => {
  test('names sources and the lines of them that were running', () => {
    const found = frames()
    expect(found.length).toBeGreaterThan(4)
    const lines = found.flatMap((frame) => {
      const [, name = '', file, line] = /^ {4}at (?:async )?([\w.]+) \((src\/[\w/-]+\.ts):(\d+)\)$/.exec(frame) ?? []
      return file === undefined ? [] : [[name, readFileSync(join(root, file), 'utf8').split('\n')[Number(line) - 1]]]
    })
    expect(lines[0]?.[1]).toContain('new SvcError(')
    // Each further frame stands where the one above it was called.
    for (const [n, [, text]] of lines.slice(1, 3).entries()) expect(text).toContain(`${lines[n]?.[0]}(`)
  })

  test('has no path of a build or of an installation', () => {
    for (const frame of frames())
      expect(frame).toMatch(
        /^ {4}at (?:async )?(?:.+ \()?(?:(?:src|node_modules|bin|node:)[\w@./:-]+:\d+|index \d+)(?::\d+)?\)?$/,
      )
  })

  test('says which piece of the build it was when the table of its sources is damaged or missing', () => {
    const tables = ['network', 'engine'].map((piece) => join(dist, `${piece}.origins`))
    for (const table of tables) writeFileSync(table, readFileSync(table, 'utf8').replace('src/', 'SRC/'))
    expect(frames()[0]).toMatch(/^ {4}at \w+ \(svc\/network\.js:\d+:\d+\)$/)
    for (const table of tables) rmSync(table)
    expect(frames()[0]).toMatch(/^ {4}at \w+ \(svc\/network\.js:\d+:\d+\)$/)
    cpSync(join(root, 'dist'), dist, { recursive: true })
  })
})
