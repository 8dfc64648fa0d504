import { createHash } from 'node:crypto'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/api/schemas.ts'
import { rows } from '../../src/output/result.ts'
import { cells } from '../../src/output/text/width.ts'
import { messageView } from '../../src/resources/message.ts'
import { page } from '../../src/output/formats/html.ts'
import type { ConversationInput } from '../../src/output/conversation.ts'
import { transcript } from '../../src/output/formats/transcript.ts'
import { options, printed } from './printed.ts'
import { attacks, hostileText, liveIn, seeded, show } from './screen.ts'

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

  test('of 1,600 hostile texts commands nothing, fits, and no text stands at the edge', async () => {
    const random = seeded(7)
    const hostile = Array.from({ length: 800 }, (_, index): Message => ({
      id: String(index),
      sentAt: '2026-03-01T10:15:00.000Z',
      direction: 'incoming',
      text: hostileText(random),
      attachments: [{ fileName: hostileText(random) }],
    }))
    for (let at = 0; at < hostile.length; at += 200) {
      const width = 20 + Math.floor(random() * 80)
      const source = conversation({ messages: hostile.slice(at, at + 200), print: { ...options, width } })
      const text = await joined(transcript(source))
      expect(liveIn(text)).toEqual([])
      const lines = text.split('\n').slice(0, -1)
      for (const line of lines) expect(cells(line)).toBeLessThanOrEqual(width)
      const screen = await show(text, { columns: width })
      expect(screen.events).toEqual([])
      expect(screen.cursor).toEqual({ x: 0, y: lines.length })
      for (const line of lines.slice(lines.indexOf('')))
        expect(line).toMatch(/^(?:$| {7}|10:15 {2}customer$|── Sunday)/)
    }
  })
})

describe('a page', () => {
  test('is complete, escaped, and allowed nothing but its own style', async () => {
    const html = await joined(
      page(
        conversation({
          messages: [...messages, { id: '7', text: `<img src=x onerror=alert(1)>&"' \u202e https://x.example` }],
        }),
      ),
    )
    const style = /<style>([^]*)<\/style>/.exec(html)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(html).toContain(
      `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
    )
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;&amp;&quot;&#39; \\u{202e} https://x.example')
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">\n/)
    const cut = await joined(page(conversation(), () => 'older messages were left out'))
    expect(cut).toContain('<footer>6 messages; older messages were left out</footer>')
    expect(html).toMatch(/<footer>7 messages<\/footer>\n<\/main>\n<\/body>\n<\/html>\n$/)
    expect(html).not.toMatch(/<(?:script|img|a|link|iframe|form|object|svg)\b|\bstyle=|url\(|@import|href|src=(?!x)/)
    expect(html).toContain('<p class="text" lang="" dir="auto">مرحبا، كيف يمكنني مساعدتك؟</p>')
    expect(html).toContain('prefers-color-scheme:dark')
    expect(html.match(/<article/g)).toHaveLength(6)
  })

  test('of attacks has only its own elements and nothing live', async () => {
    const nasty = [
      ...attacks,
      '</p></article><script>',
      '<!--',
      ']]>',
      '"onload="',
      "'",
      '&lt;',
      '</style>',
      '</title>',
    ]
    const own = new Set(
      'html head meta title style body header h1 dl div dt dd main h2 article p span time h3 footer'.split(' '),
    )
    const texts = nasty.map((text, index): Message => ({
      id: text,
      sentAt: text,
      direction: text,
      fromId: text,
      subject: text,
      text,
      mediaGroupId: String(index),
      attachments: [{ id: text, kind: text, fileName: text, mimeType: text }],
    }))
    const hostile = conversation({
      messages: texts,
      conversation: {
        ticket: { id, status: nasty.join(''), assigneeId: nasty.join(''), startedAt: nasty.join('') },
        names: new Map(),
      },
    })
    const html = await joined(page(hostile))
    expect(liveIn(html.replaceAll('\t', ''))).toEqual([])
    for (const [, name = ''] of html.replace('<!doctype html>', '').matchAll(/<\/?([^\s>]*)/g))
      expect(own).toContain(name)
    for (const [tag] of html.matchAll(/<[a-z][^>]*>/g)) expect(tag).not.toMatch(/\son\w+=/)
  })

  test('that stops early leaves nothing', async () => {
    async function* broken(): AsyncGenerator<Message> {
      yield* messages.slice(0, 1)
      throw new Error('gone')
    }
    const output = rows(broken(), { conversation: about })
    const { stdout, error } = await printed(output, messageView, { format: 'html' })
    expect([stdout, error]).toEqual(['', expect.objectContaining({ message: 'gone' })])
  })
})
