/** What is read of the files of a run: its parts, their lines, and their edges. If red, a run is taken for another, or a cut line for a whole one. */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { countStrangers, partNumbers, readEnd, readHead, readLines } from '../../src/runs/parts.ts'
import type { NewLine } from '../../src/runs/lines.ts'
import { ownFolder } from '../support/ending.ts'
import { realHost } from '../support/real-host.ts'
import { beginningOf, linesOf, textOf } from '../support/records.ts'

let folder: string
beforeEach(() => {
  folder = ownFolder('parts')
})
const write = (text: string, name = '1.ndjson') => fs.writeFileSync(join(folder, name), text)
const path = () => join(folder, '1.ndjson')
async function all(): Promise<string[]> {
  const lines: string[] = []
  for await (const line of readLines(realHost, path())) lines.push(line)
  return lines
}

describe('the numbers of the parts', () => {
  it('are those of the names that svc gives; the rest is counted', () => {
    for (const name of ['1.ndjson', '12.ndjson', '01.ndjson', '1.ndjson.bak', '0.ndjson', 'x'])
      write('', name)
    expect(new Set(partNumbers(realHost, folder))).toEqual(new Set([1, 12]))
    expect(countStrangers(realHost, folder)).toBe(4)
  })

  it('are none without a folder; a file or a link in its place is exit 2', () => {
    expect(partNumbers(realHost, join(folder, 'none'))).toEqual([])
    write('', 'file')
    fs.symlinkSync(folder, join(folder, 'link'))
    for (const name of ['file', 'link'])
      expect(() => partNumbers(realHost, join(folder, name))).toThrow('is not a folder')
  })
})

describe('the lines of a part', () => {
  it('come without their line feeds, and a last one that was cut off is none', async () => {
    write('one\n\ntwo\nthr')
    expect(await all()).toEqual(['one', '', 'two'])
  })

  it('are whole where a piece of reading ends', async () => {
    const long = 'é'.repeat(700_000)
    write(`${long}\n${long}\nlast\n`)
    expect(await all()).toEqual([long, long, 'last'])
  })

  it('are not read through a link, or from what is no file', async () => {
    write('one\n', 'other')
    fs.symlinkSync(join(folder, 'other'), path())
    await expect(all()).rejects.toThrow('cannot be read')
    fs.rmSync(path())
    fs.mkdirSync(path())
    await expect(all()).rejects.toThrow(/is not a file|cannot be read/)
  })
})

const whole = [...beginningOf('contacts.delete'), ...linesOf('try done')]
const ended: NewLine[] = [...whole, ...linesOf('end')]

describe('the head of a part', () => {
  it('is its second line, however long the lines are, and has a checksum', () => {
    const accept = Array.from({ length: 2000 }, () => 'blocked' as const)
    write(textOf(beginningOf('contacts.delete', { accept })))
    expect(readHead(realHost, path())?.head).toMatchObject({ t: 'run', accept })
    const { checksum } = readHead(realHost, path()) ?? {}
    write(textOf(whole))
    expect(readHead(realHost, path())?.checksum).not.toBe(checksum)
  })

  it.each([
    ['the first line was changed', (text: string) => text.replace('"desk"', '"disk"')],
    ['the head was changed', (text: string) => text.replace('contacts.delete', 'contacts.merge_')],
    [
      'it has another schema',
      () => textOf(beginningOf('contacts.delete', { schema: 'x' as never })),
    ],
    ['there is only one line', (text: string) => text.split('\n')[0] ?? ''],
    ['there is nothing', () => ''],
  ])('is none if %s', (_, change) => {
    write(change(textOf(whole)))
    expect(readHead(realHost, path())).toBeUndefined()
  })
})

describe('the end of a part', () => {
  it('is its last line, with the outcomes and what is due', () => {
    write(textOf(ended))
    expect(readEnd(realHost, path())).toMatchObject({ t: 'end', outcomes: { done: 2 }, due: 0 })
  })

  it.each([
    ['another line is the last one', () => textOf(whole)],
    ['a line follows that was cut off', () => `${textOf(ended)}{"t":`],
    ['its line feed is missing', () => textOf(ended).slice(0, -1)],
    ['it was changed', () => textOf(ended).replace('"due":0', '"due":1')],
    ['the line before is another one', () => textOf(ended).replace(/.*\n(?=.*\n$)/, '')],
    ['there is nothing', () => ''],
  ])('is none if %s', (_, text) => {
    write(text())
    expect(readEnd(realHost, path())).toBeUndefined()
  })
})
