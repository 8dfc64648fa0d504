/** The page of every ticket of the sandbox, read by a parser that knows nothing but what the page may hold. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSandboxWorld } from '../../svc.ts'

const world = await createSandboxWorld()
const { tickets } = world.sandbox.examples

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: (Element | string)[]
}

const alone = new Set(['meta'])
/** Every element that the page may have, with the attributes it may have. None of them loads, runs or submits anything. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  html: ['lang'],
  head: [],
  meta: ['charset', 'http-equiv', 'name', 'content'],
  title: [],
  style: [],
  body: [],
  header: [],
  main: [],
  footer: [],
  h1: [],
  h2: [],
  h3: ['lang', 'dir'],
  dl: [],
  div: [],
  dt: [],
  dd: ['dir'],
  article: ['class'],
  p: ['class', 'lang', 'dir'],
  span: ['dir'],
  time: [],
}

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
      if (!alone.has(element.name)) open.push(element)
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
  const known = allowed[name]
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

async function pageOf(ticket: string, more = ''): Promise<{ html: string; root: Element }> {
  const { code, stdout, stderr } = await world.svc(`tickets history ${ticket} -o html ${more}`)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return { html: stdout, root: parse(stdout) }
}

const kinds = ['active', 'closed', 'unassigned', 'email', 'album', 'attachments', 'hostile', 'noMessages'] as const

test.each(kinds)(
  'the page of the %s ticket has only its own elements, and its policy allows only its style',
  async (kind) => {
    const { root } = await pageOf(tickets[kind])
    const [style, ...others] = all(root, 'style').map(textOf)
    expect(others).toEqual([])
    const hash = createHash('sha256')
      .update(style ?? '')
      .digest('base64')
    const metas = all(root, 'meta').map(({ attributes }) => attributes)
    expect(metas.filter((meta) => 'http-equiv' in meta)).toEqual([
      {
        'http-equiv': 'Content-Security-Policy',
        content: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
      },
    ])
    // The policy stands before everything that it is to rule.
    expect(metas.slice(0, 2).map((meta) => Object.keys(meta)[0])).toEqual(['charset', 'http-equiv'])
    expect(style).not.toMatch(/url|@import|@font-face|expression|\\/)
  },
)

test('every message of the service stands on the page, as text', async () => {
  const read = await world.svc(`tickets history ${tickets.hostile} -o ndjson --order oldest`)
  const messages = read.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { text?: string })
  expect(messages.length).toBeGreaterThan(20)
  const { root } = await pageOf(tickets.hostile)
  const shown = all(root, 'p').filter(({ attributes }) => attributes['class'] === 'text')
  // What can be printed is there as it was written.
  const texts = messages.map(({ text }) => text ?? '').filter((text) => text !== '')
  expect(shown).toHaveLength(texts.length)
  const printable = texts.filter((text) => /^[\x20-\x7e\n]*$/.test(text))
  expect(printable.some((text) => text.includes('<script>'))).toBe(true)
  const written = new Set(shown.map(textOf))
  expect(printable.filter((text) => !written.has(text))).toEqual([])
})

describe('the parser refuses', () => {
  const around = (inside: string): string => `<!doctype html>\n<html lang="en"><body>${inside}</body></html>\n`
  test.each([
    '<script>1</script>',
    '<img src="x">',
    '<p onclick="x">y</p>',
    '<p class="text" style="color:red">y</p>',
    '<p><a href="https://x.example">y</a></p>',
    '<p>a < b</p>',
    '<p>a &nbsp; b</p>',
    '<!-- x -->',
    '<p>y</div>',
    '<iframe></iframe>',
  ])('%s', (inside) => {
    expect(() => parse(around('<p class="text">y</p>'))).not.toThrow(/./)
    expect(() => parse(around(inside))).toThrow(/^(?:an element|an attribute|a bare|out of place|<\/)/)
  })
})

test('5,000 messages: days as headings, the count at the end', async () => {
  const { root } = await pageOf(tickets.long)
  expect(all(root, 'article')).toHaveLength(5000)
  expect(all(root, 'footer').map(textOf)).toEqual(['5,000 messages'])
  const days = all(root, 'h2').map(textOf)
  expect(days.length).toBeGreaterThan(1)
  expect(new Set(days).size).toBe(days.length)
  for (const day of days) expect(day).toMatch(/^\w+day \d{4}-\d\d-\d\d$/)
})

test('albums are one article that says so, times name their zone', async () => {
  const { root } = await pageOf(tickets.album)
  const album = all(root, 'article').find((article) => textOf(article).includes('album of 2'))
  expect(
    all(album ?? { name: '', attributes: {}, children: [] }, 'p').map(({ attributes }) => attributes['class']),
  ).toEqual(['by', 'file', 'file'])
  expect(all(root, 'dd').map(textOf)).toContain('UTC')
})
