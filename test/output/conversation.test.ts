import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/api/schemas.ts'
import { rows } from '../../src/output/result.ts'
import { messageView } from '../../src/resources/message.ts'
import type { ConversationInput } from '../../src/output/conversation.ts'
import { transcript } from '../../src/output/formats/transcript.ts'
import { options, printed } from './printed.ts'

const id = '64b000000000000000000001'
const anna = '64c00000000000000000000A'
const image = (fileName: string): NonNullable<Message['attachments']>[number] => ({
  id,
  kind: 'image',
  fileName,
  mimeType: 'image/jpeg',
  size: 123_456,
})

const messages: Message[] = [
  {
    id: '1',
    sentAt: '2026-03-01T10:15:00.000Z',
    direction: 'incoming',
    fromId: '+49123',
    text: 'Hello,\nwhere is my order? I have waited for a whole week now.',
  },
  {
    id: '2',
    sentAt: '2026-03-01T10:17:30.000Z',
    direction: 'outgoing',
    fromId: anna,
    subject: 'Re: order',
    text: 'مرحبا، كيف يمكنني مساعدتك؟',
  },
  {
    id: '3',
    sentAt: '2026-03-02T08:00:00.000Z',
    direction: 'incoming',
    fromId: '+49123',
    mediaGroupId: 'g',
    attachments: [image('a.jpg')],
  },
  {
    id: '4',
    sentAt: '2026-03-02T08:00:01.000Z',
    direction: 'incoming',
    fromId: '+49123',
    mediaGroupId: 'g',
    text: 'both',
    attachments: [image('b.jpg')],
  },
  {
    id: '5',
    sentAt: '2026-03-02T08:01:00.000Z',
    direction: 'outgoing',
    fromId: 'bot-7',
    mediaGroupId: 'h',
    text: '10:15  customer',
  },
  { id: '6', sentAt: null, direction: null, fromId: null, text: null },
]

const about = {
  ticket: { id, status: 'active', assigneeId: anna, startedAt: '2026-03-01T10:00:00.000Z' },
  names: new Map([[anna.toLowerCase(), 'Anna Berg']]),
}

function conversation(more: Partial<ConversationInput> = {}): ConversationInput {
  return {
    conversation: about,
    messages,
    print: { ...options, format: 'transcript', width: 50 },
    ...more,
  }
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

describe('a transcript', () => {
  test('has days, times, senders, subjects, albums and attachments', async () => {
    expect(await joined(transcript(conversation()))).toBe(`ticket 64b000000000000000000001
status active · assignee Anna Berg · started
2026-03-01 10:00 · times UTC

── Sunday 2026-03-01 ──

10:15  customer
       Hello,
       where is my order? I have waited for a
       whole week now.

10:17  outgoing · Anna Berg
       Subject: Re: order
       مرحبا، كيف يمكنني مساعدتك؟

── Monday 2026-03-02 ──

08:00  customer · album of 2
       [image a.jpg (image/jpeg, 123 kB)]
       both
       [image b.jpg (image/jpeg, 123 kB)]

08:01  outgoing · bot-7
       10:15  customer

── without a time ──

unknown sender
       (no text)
`)
  })

  test('in colour says the same', async () => {
    const plain = await joined(transcript(conversation()))
    const colour = await joined(transcript(conversation({ print: { ...options, width: 50, color: 2 } })))
    expect(colour).not.toBe(plain)
    expect(stripVTControlCharacters(colour)).toBe(plain)
  })

  test('is printed as it comes', async () => {
    async function* broken(): AsyncGenerator<Message> {
      yield* messages.slice(0, 3)
      throw new Error('gone')
    }
    const output = rows(broken(), { conversation: about })
    const { stdout, error } = await printed(output, messageView, { format: 'transcript' })
    expect(stdout).toMatch(/\[image a.jpg \(image\/jpeg, 123 kB\)\]\n$/)
    expect(error).toMatchObject({ message: 'gone' })
  })
})
