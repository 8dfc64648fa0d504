import { expect, test } from 'vitest'
import type { TicketMessage } from '../../src/api/schemas.ts'
import { rows } from '../../src/output/result.ts'
import { messageView } from '../../src/views/resources.ts'
import { printed } from './printed.ts'

const conversation = {
  ticket: { id: '64b000000000000000000001', status: 'active' },
  names: new Map<string, string>(),
}
const image: TicketMessage = {
  id: '2',
  sentAt: '2026-03-02T08:00:00.000Z',
  direction: 'incoming',
}

// `test/transcripts/tickets.txt` has the others.
test('a message that lacks everything; and nothing of a conversation whose rest cannot be read', async () => {
  async function* messages(isBroken: boolean): AsyncGenerator<TicketMessage> {
    yield { id: '1', sentAt: null, direction: null, fromId: null, text: null }
    yield { ...image, attachments: [{ id: '1', kind: 'image', fileName: 'a.jpg' }] }
    yield { ...image, direction: 'outgoing', text: '10:15  customer' }
    if (isBroken) throw new Error('gone')
  }
  const shown = (isBroken: boolean) =>
    printed(rows(messages(isBroken), { conversation }), messageView, { format: 'transcript' })
  const { stdout } = await shown(false)
  expect(stdout.split('\n').slice(3)).toEqual([
    '── without a time ──',
    '',
    'unknown sender',
    '       (no text)',
    '',
    '── Monday 2026-03-02 ──',
    '',
    '08:00  customer',
    '       [image a.jpg]',
    '',
    '08:00  outgoing',
    '       10:15  customer',
    '',
  ])
  expect(await shown(true)).toMatchObject({ stdout: '', error: { message: 'gone' } })
})

test.each([
  [true, 'UTC'],
  [false, 'Europe/Berlin'],
])('without a message it says so, and times with --utc (%s) are those of %s', async (utc, zone) => {
  const before = process.env['TZ']
  process.env['TZ'] = 'Europe/Berlin'
  const { stdout } = await printed(rows<TicketMessage>([], { conversation }), messageView, {
    format: 'transcript',
    utc,
  })
  process.env['TZ'] = before
  expect(stdout).toBe(
    `ticket ${conversation.ticket.id}\nstatus active · times ${zone}\n\n(no messages)\n`,
  )
})
