/** The transcript of messages that lack things, with the times of a zone. */
import { afterEach, expect, test } from 'vitest'
import { transcript, type ConversationMessage } from '../../src/output/conversation.ts'

const ticket = { id: '64b000000000000000000001', status: 'active' }
const image = { sentAt: '2026-03-02T08:00:00.000Z', direction: 'incoming' } as const

const zone = process.env['TZ']
afterEach(() => void (process.env['TZ'] = zone))

test.each([
  ['UTC', '08:00'],
  ['Europe/Berlin', '09:00'],
])('a message that lacks everything, with times of the zone %s', (zoneOfTimes, time) => {
  process.env['TZ'] = zoneOfTimes
  const messages: ConversationMessage[] = [
    { sentAt: null, direction: null, fromName: null, text: null },
    { ...image, attachments: [{ id: '1', kind: 'image', fileName: 'a.jpg' }] },
    { ...image, direction: 'outgoing', text: '10:15  customer' },
  ]
  expect(transcript(ticket, undefined, messages))
    .toBe(`ticket 64b000000000000000000001 · active · ${zoneOfTimes}



2026-03-02 ${time}  customer
    [ image a.jpg ]

2026-03-02 ${time}  outgoing
    10:15  customer
`)
})
