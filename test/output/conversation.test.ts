import { afterEach, expect, test } from 'vitest'
import type { TicketMessage } from '../../src/api/schemas.ts'
import { rows } from '../../src/output/result.ts'
import { printed } from './printed.ts'

const conversation = {
  ticket: { id: '64b000000000000000000001', status: 'active' },
  names: new Map<string, string>(),
  messageOf: (row: TicketMessage) => row,
}
const image: TicketMessage = {
  id: '2',
  sentAt: '2026-03-02T08:00:00.000Z',
  direction: 'incoming',
}

const zone = process.env['TZ']
afterEach(() => {
  process.env['TZ'] = zone
})

// `test/transcripts/tickets.txt` has the others.
test.each([
  ['UTC', '08:00'],
  ['Europe/Berlin', '09:00'],
])(
  'a message that lacks everything, with times of the zone %s; and nothing of a conversation whose rest cannot be read',
  async (zoneOfTimes, time) => {
    process.env['TZ'] = zoneOfTimes
    async function* messages(isBroken: boolean): AsyncGenerator<TicketMessage> {
      yield { id: '1', sentAt: null, direction: null, fromId: null, text: null }
      yield { ...image, attachments: [{ id: '1', kind: 'image', fileName: 'a.jpg' }] }
      yield { ...image, direction: 'outgoing', text: '10:15  customer' }
      if (isBroken) throw new Error('gone')
    }
    const shown = (isBroken: boolean) =>
      printed(
        rows(messages(isBroken), { conversation }),
        {},
        {
          format: 'transcript',
        },
      )
    const { stdout } = await shown(false)
    expect(stdout.split('\n').slice(1)).toEqual([
      `status active · times ${zoneOfTimes}`,
      '',
      '── without a time ──',
      '',
      'unknown sender',
      '       (no text)',
      '',
      '── Monday 2026-03-02 ──',
      '',
      `${time}  customer`,
      '       [image a.jpg]',
      '',
      `${time}  outgoing`,
      '       10:15  customer',
      '',
    ])
    expect(await shown(true)).toMatchObject({ stdout: '', error: { message: 'gone' } })
  },
)
