/** Transcripts of the sandbox's tickets, as a reader sees them. */
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { cells } from '../../../src/output/text/width.ts'
import { liveIn } from '../screen.ts'
import { createSandboxWorld } from '../../svc.ts'

const world = await createSandboxWorld()
const { tickets } = world.sandbox.examples
const terminal = { isTerminal: { stdout: true, stderr: true }, env: { TERM: 'xterm-256color' } }

test.each([20, 40, 80, 200])('on a terminal of %i columns no line is wider, and none than 120', async (columns) => {
  for (const ticket of [tickets.active, tickets.hostile, tickets.email, tickets.attachments]) {
    const { code, stdout } = await world.svc(`tickets history ${ticket} -o transcript`, { ...terminal, columns })
    expect(code).toBe(0)
    const plain = stripVTControlCharacters(stdout)
    expect(liveIn(plain)).toEqual([])
    for (const line of plain.split('\n')) expect(cells(line)).toBeLessThanOrEqual(Math.min(columns, 120))
  }
})

test('colour marks who speaks; NO_COLOR, TERM=dumb and a pipe have none', async () => {
  const line = `tickets history ${tickets.active} -o transcript --limit 5 -q`
  const coloured = await world.svc(line, { ...terminal, columns: 80 })
  expect(coloured.stdout).toContain('  customer\u001b[39m')
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    const plain = await world.svc(line, { ...terminal, columns: 80, env })
    expect(plain.stdout).toBe(stripVTControlCharacters(coloured.stdout))
  }
  expect((await world.svc(line)).stdout).not.toContain('\u001b')
})

test('1,000 messages are one conversation, oldest first', async () => {
  const { stdout } = await world.svc(`tickets history ${tickets.long} -o transcript --limit 1000`)
  const times = [...stdout.matchAll(/^── \w+day (\S+) ──$|^(\d\d:\d\d) {2}/gm)]
  expect(times.filter(([, day]) => day === undefined)).toHaveLength(1000)
  let day = ''
  const moments = times.flatMap(([, date, time]) => {
    if (date !== undefined) day = date
    return time === undefined ? [] : [`${day} ${time}`]
  })
  expect(moments).toEqual(moments.toSorted())
})

test('albums together, subjects and attachments as lines', async () => {
  const album = await world.svc(`tickets history ${tickets.album} -o transcript`)
  expect(album.stdout).toMatch(
    / {2}customer · album of 2\n {7}\[image photo-\d+\.jpg \(image\/jpeg, .*\)\]\n {7}\[image/,
  )
  const email = await world.svc(`tickets history ${tickets.email} -o transcript`)
  expect(email.stdout).toMatch(/ {2}customer\n {7}Subject: Order 4711\n {7}Hello, /)
})

test('a ticket without messages says so', async () => {
  const { code, stdout } = await world.svc(`tickets history ${tickets.noMessages} -o transcript`)
  expect(code).toBe(0)
  expect(stdout).toMatch(/ · times UTC\n\n\(no messages\)\n$/)
})
