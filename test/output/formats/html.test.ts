/** The page of every ticket of the sandbox, read by a parser that knows nothing but what the page may hold. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Message } from '../../../src/api/schemas.ts'
import { page } from '../../../src/output/formats/html.ts'
import { createSandboxWorld } from '../../svc.ts'
import { options } from '../printed.ts'
import { attacks, liveIn } from '../screen.ts'

const world = await createSandboxWorld()
const { tickets } = world.sandbox.examples

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: (Element | string)[]
}

/** Every element that the page may have, with the attributes it may have. None of them loads, runs or submits anything. */
const elements =
  'html lang|head|meta charset http-equiv name content|title|style|body|header|main|footer|h1|h2|h3 lang dir|dl|div|dt|dd dir|' +
  'article class|p class lang dir|span dir|time'
const allowed = new Map(
  elements
    .split('|')
    .map((each) => each.split(' '))
    .map(([name = '', ...rest]) => [name, rest]),
)

/** Stricter than a browser, so that both see the same: throws at anything that is not an allowed element or plain text. */
function parse(html: string): Element {
  const start = '<!doctype html>\n'
  if (!html.startsWith(start)) throw new Error('no doctype')
  const root: Element = { name: '', attributes: {}, children: [] }
  const open = [root]
  const pieces = html.slice(start.length).matchAll(/<style>([^<]*)<\/style>|<(\/?)([^<>]*)>|([^<>]+)|([<>])/g)
  for (const [, css, slash, tag = '', text, stray] of pieces) {
    const parent = open.at(-1)
    if (parent === undefined || stray !== undefined) throw new Error(`out of place: ${stray ?? text ?? tag}`)
    if (css !== undefined) parent.children.push({ name: 'style', attributes: {}, children: [css] })
    else if (text !== undefined) parent.children.push(plainText(text))
    else if (slash === '/') {
      if (open.pop()?.name !== tag) throw new Error(`</${tag}> closes nothing`)
    } else {
      const element = elementOf(tag)
      parent.children.push(element)
      if (element.name !== 'meta') open.push(element)
    }
  }
  expect(open).toEqual([root])
  return root
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

function plainText(text: string): string {
  return text.replace(/&[^;&]*;?/g, (entity) => {
    const char = entities[entity]
    if (char === undefined) throw new Error(`a bare ${entity}`)
    return char
  })
}

function elementOf(tag: string): Element {
  const [, name = '', rest = ''] = /^([a-z][a-z0-9]*)((?: [a-z-]+="[^"]*")*)$/.exec(tag) ?? []
  const known = allowed.get(name)
  if (known === undefined) throw new Error(`an element <${tag}>`)
  const attributes: Record<string, string> = {}
  for (const [, key = '', value = ''] of rest.matchAll(/ ([a-z-]+)="([^"]*)"/g)) {
    if (!known.includes(key)) throw new Error(`an attribute ${key} in <${tag}>`)
    attributes[key] = plainText(value)
  }
  return { name, attributes, children: [] }
}

function all(element: Element, name: string): Element[] {
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return []
    return [...(child.name === name ? [child] : []), ...all(child, name)]
  })
}

function textOf(element: Element): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('')
}

async function pageOf(ticket: string): Promise<Element> {
  const { code, stdout, stderr } = await world.svc(`tickets history ${ticket} -o html`)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return parse(stdout)
}

const ofClass = (root: Element, name: string): Element[] =>
  all(root, 'p').filter(({ attributes }) => attributes['class'] === name)

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
  const messages = nasty.map((text, n): Message => ({
    ...{ id: text, sentAt: text, direction: text, fromId: text, subject: text, text, mediaGroupId: String(n) },
    attachments: [{ id: text, kind: text, fileName: text, mimeType: text }],
  }))
  const ticket = { id: '1', status: nasty.join(''), assigneeId: nasty.join(''), startedAt: nasty.join('') }
  const conversation = { ticket, names: new Map<string, string>() }
  let html = ''
  for await (const piece of page({ conversation, messages, print: options }, () => 'older messages were left out'))
    html += piece
  expect(liveIn(html.replaceAll('\t', ''))).toEqual([])
  const root = parse(html)
  expect(ofClass(root, 'text').map(textOf).slice(-markup.length)).toEqual(markup)
  expect(all(root, 'footer').map(textOf)).toEqual([`${nasty.length} messages; older messages were left out`])
  const [style, ...others] = all(root, 'style').map(textOf)
  expect(others).toEqual([])
  expect(style).not.toMatch(/url|@import|@font-face|expression|\\/)
  expect(style).toContain('prefers-color-scheme:dark')
  const hash = createHash('sha256')
    .update(style ?? '')
    .digest('base64')
  const metas = all(root, 'meta').map(({ attributes }) => attributes)
  const content = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  // The policy stands before everything that it is to rule.
  expect(metas.map((meta) => Object.keys(meta)[0]).slice(0, 2)).toEqual(['charset', 'http-equiv'])
  expect(metas.filter((meta) => 'http-equiv' in meta)).toEqual([{ 'http-equiv': 'Content-Security-Policy', content }])
})

test('every message of the service stands on the page, as text in its own direction', async () => {
  const read = await world.svc(`tickets history ${tickets.hostile} -o ndjson --order oldest`)
  const lines = read.stdout.trim().split('\n')
  const texts = lines.map((line) => (JSON.parse(line) as { text?: string }).text ?? '').filter((text) => text !== '')
  const shown = ofClass(await pageOf(tickets.hostile), 'text')
  expect(shown).toHaveLength(texts.length)
  expect(new Set(shown.map(({ attributes }) => `${attributes['lang']} ${attributes['dir']}`))).toEqual(
    new Set([' auto']),
  )
  const printable = texts.filter((text) => /^[\x20-\x7e\n]*$/.test(text))
  expect(printable.some((text) => text.includes('<script>'))).toBe(true)
  expect(shown.map(textOf)).toEqual(expect.arrayContaining(printable))
})

test('5,000 messages: days as headings, the count at the end', async () => {
  const root = await pageOf(tickets.long)
  expect(all(root, 'article')).toHaveLength(5000)
  expect(all(root, 'footer').map(textOf)).toEqual(['5,000 messages'])
  const days = all(root, 'h2').map(textOf)
  expect(new Set(days).size).toBe(days.length)
  expect(days.filter((day) => !/^\w+day \d{4}-\d\d-\d\d$/.test(day))).toEqual([])
})

test('albums are one article that says so, times name their zone', async () => {
  const root = await pageOf(tickets.album)
  const albums = all(root, 'article').filter((article) => textOf(article).includes('album of 2'))
  const classes = albums.slice(0, 1).flatMap((album) => all(album, 'p').map(({ attributes }) => attributes['class']))
  expect(classes).toEqual(['by', 'file', 'file'])
  expect(all(root, 'dd').map(textOf)).toContain('UTC')
})

test.each([
  '<script>1</script>',
  '<img src="x">',
  '<p onclick="x">y</p>',
  '<p class="text" style="color:red">y</p>',
  '<p>a < b</p>',
  '<p>a &nbsp; b</p>',
  '<!-- x -->',
  '<p>y</div>',
])('the parser refuses %s', (inside) => {
  const around = (words: string): string => `<!doctype html>\n<html lang="en"><body>${words}</body></html>\n`
  expect(() => parse(around('<p class="text">y</p>'))).not.toThrow(/./)
  expect(() => parse(around(inside))).toThrow(/^(?:an element|an attribute|a bare|out of place|<\/)/)
})
