/** The page of a ticket of attacks, read by a parser that knows nothing but what the page may hold. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { TicketMessage } from '../../../src/api/schemas.ts'
import { page } from '../../../src/output/conversation.ts'
import { options } from '../../support/printed.ts'
import { attacks, liveIn } from '../../support/attacks.ts'

/** Every tag that the page may have. None of them loads, runs or submits anything. */
const allowed = new RegExp(
  '^<(?:!doctype html|/?(?:html|head|meta|title|style|body|header|main|footer|h[123]|dl|div|dt|dd|article|p|span|time)' +
    '(?: (?:lang|charset|http-equiv|name|content|dir|class)="[^"<>]*")*)>$',
)
const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** Stricter than a browser, so that both see the same: throws at anything that is not an allowed tag, in its order, or plain text. */
function check(html: string): string {
  const open: string[] = []
  for (const [n, piece] of html.split(/(<[^<>]*>)/).entries()) {
    const [, slash, name = ''] = /^<(\/?)([a-z]+[123]?)/.exec(piece) ?? []
    if (n % 2 === 0 ? /[<>]|&(?!(?:amp|lt|gt|quot|#39);)/.test(piece) : !allowed.test(piece))
      throw new Error(`out of place: ${piece}`)
    if (slash === '/' && open.pop() !== name) throw new Error(`out of place: ${piece}`)
    if (slash === '' && name !== 'meta') open.push(name)
  }
  expect(open).toEqual([])
  return html
}

/** The text after a tag, as a reader sees it. */
function textsOf(html: string, tag: string): string[] {
  const found = html.split(`<${tag}>`).slice(1)
  return found.map((rest) =>
    rest
      .split('<', 1)
      .join('')
      .replaceAll(/&[^;]+;/g, (entity) => entities[entity] ?? entity),
  )
}

const text = 'p class="text" lang="" dir="auto"'

test('a page of attacks has only its own elements, its policy allows only its style, and what can be printed stands there', async () => {
  const markup = [
    '</p></article><script>',
    '<!--',
    ']]>',
    '"onload="',
    "'",
    '&lt;',
    '</style>',
    '</title>',
    '<img src=x onerror=y>',
  ]
  const nasty = [...attacks, ...markup]
  const messages = nasty.map((text): TicketMessage => ({
    ...{
      id: text,
      sentAt: text,
      direction: text,
      fromId: text,
      subject: text,
      text,
    },
    attachments: [{ id: text, kind: text, fileName: text, mimeType: text }],
  }))
  const ticket = {
    id: '1',
    status: nasty.join(''),
    assigneeId: nasty.join(''),
    startedAt: nasty.join(''),
  }
  const names = new Map<string, string>()
  const omission = 'older messages were left out'
  const html = page({ kind: 'conversation', ticket, names, messages, omission }, options)
  // Marks and isolates of direction stay, embeddings and overrides do not.
  const live = new Set(liveIn(html.replaceAll('\t', '')))
  expect(live).toEqual(new Set(['61c', '200e', '200f', '2066', '2067', '2068', '2069']))
  expect(textsOf(check(html), text).slice(-markup.length)).toEqual(markup)
  expect(textsOf(html, 'footer')).toEqual([
    `${nasty.length} messages; older messages were left out`,
  ])
  const [style, ...others] = textsOf(html, 'style')
  expect(others).toEqual([])
  expect(style).not.toMatch(/url|@import|@font-face|expression|\\/)
  expect(style).toContain('prefers-color-scheme:dark')
  const hash = createHash('sha256')
    .update(style ?? '')
    .digest('base64')
  const content = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  // The policy stands before everything that it is to rule.
  const head = `<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${content}">`
  expect([html.split('http-equiv').length, html]).toEqual([2, expect.stringContaining(head)])
})
