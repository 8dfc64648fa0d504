/** svc runs show -o html: one file for people who were not there, which can do nothing. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBulkWorld } from '../bulk/bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, file, free, busy, sandbox } = world

/** Every element that the page may have, with the attributes it may have. None of them loads, runs or submits anything. */
const allowed: Readonly<Record<string, string>> = {
  html: 'lang',
  meta: 'charset http-equiv name content',
  svg: 'class viewBox preserveAspectRatio aria-hidden role aria-label',
  rect: 'class x y width height',
  ...Object.fromEntries(['h1', 'dd', 'td'].map((name) => [name, 'dir class'])),
  ...Object.fromEntries(['p', 'ul', 'th'].map((name) => [name, 'class scope'])),
  ...Object.fromEntries(
    'head title style body header main footer section h2 dl div dt li strong span table thead tbody tr pre code'
      .split(' ')
      .map((name) => [name, '']),
  ),
}

interface Page {
  readonly html: string
  /** Without tags and entities. */
  readonly text: string
  readonly tags: readonly string[]
}

/** The page, after a look at each of its tags. */
async function pageOf(words: string): Promise<Page> {
  const { code, stdout: html, stderr } = await svc(`runs show ${words} -o html`)
  expect({ code, stderr: stderr.replace(/^note: .*\n/gm, '') }).toEqual({ code: 0, stderr: '' })
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(html) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(html).toContain(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`)
  expect(style).not.toMatch(/url\(|@import/)
  const tags = [
    ...html
      .slice('<!doctype html>'.length)
      .replace(style, '')
      .matchAll(/<(\/?)([^<>]*)>/g),
  ]
  for (const [, slash, tag = ''] of tags) {
    const [, name = '', rest = ''] = /^([a-z][a-z0-9]*)((?: [a-zA-Z0-9-]+="[^"]*")*)\/?$/.exec(tag) ?? []
    const attributes = [...rest.matchAll(/ ([a-zA-Z0-9-]+)="/g)].map(([, attribute = '']) => attribute)
    const known = allowed[name]?.split(' ')
    expect([
      tag,
      known !== undefined,
      slash === '/' ? [] : attributes.filter((each) => known?.includes(each) !== true),
    ]).toEqual([tag, true, []])
  }
  const bare = html.replace(style, '').replaceAll(/<[^<>]*>/g, '\n')
  const text = bare
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
  return { html, text, tags: tags.map(([, slash = '', tag = '']) => slash + tag) }
}

const deletion = (ids: readonly string[], state: string): string =>
  `contacts delete --file ${file('ids', ids)} --yes --batch-size 1 --concurrency 1 ${state}`

describe('what it says', () => {
  it('what was asked, by whom, what became of it, and what can be done now', async () => {
    const state = world.state()
    const ids = [...free.slice(0, 3), ...busy.slice(0, 2), ...world.absent(1)]
    const { summary } = await bulk(`${deletion(ids, state)} --once cleanup`)
    const { text, tags } = await pageOf(`cleanup ${state}`)
    for (const said of [
      'Delete 6 contacts',
      'Finished, but 3 of 6 contacts are not done.',
      summary.run ?? '',
      'cleanup',
      'none: the key came from the environment',
      '3 (50 %)',
      'the service keeps these contacts, because they have chats',
      `svc runs export ${summary.run} --outcome blocked,not-found`,
      ...ids.slice(3),
    ]) {
      expect(text).toContain(said)
    }
    expect(tags.filter((tag) => /^h\d/.test(tag)).map((tag) => tag.slice(0, 2))).toEqual(['h1', 'h2', 'h2', 'h2', 'h2'])
  })

  it('an assign that is done, its undo, and nothing that is left', async () => {
    const state = world.state()
    const [ticket] = sandbox.examples.assignableTickets
    const { summary } = await bulk(`tickets assign --file ${file('t', [String(ticket)])} --to "Robin Berg" ${state}`)
    const { text } = await pageOf(`--last ${state}`)
    expect(text).toMatch(/Assign 1 ticket to "Robin Berg" \([0-9a-f]{24}\)/)
    expect(text).toContain('Done: nothing is left to do for 1 ticket.')
    expect(text).toContain(`svc runs undo ${summary.run}`)
    await bulk(`runs undo --last ${state}`)
    expect((await pageOf(`--last ${state}`)).text).toContain(`Give 1 ticket back that run ${summary.run} assigned`)
  })

  it('a run that was stopped, and one whose process died, with the command that resumes it', async () => {
    const state = world.state()
    sandbox.setFaults('contacts.delete:2=401')
    const { summary } = await bulk(deletion(free.slice(5, 9), state))
    sandbox.setFaults()
    const run = summary.run ?? ''
    const stopped = await pageOf(`${run} ${state}`)
    expect(stopped.text).toContain(
      'Stopped: the service does not accept the credentials. 3 of 4 contacts are not done.',
    )
    expect(stopped.text).toContain(`svc runs resume ${run}`)
    const journal = join(state.replace('--state-dir ', ''), 'runs', run, 'journal.ndjson')
    writeFileSync(journal, readFileSync(journal, 'utf8').split('\n').slice(0, 4).join('\n').concat('\n{"t":"tr'))
    expect((await pageOf(`${run} ${state}`)).text).toContain('Interrupted before it was finished.')
  })

  it('has every id, with those that are not done first', async () => {
    const state = world.state()
    const many = [...free.slice(20, 22), ...busy.slice(2, 80), ...world.absent(2000)]
    await bulk(`contacts delete --file ${file('many', many)} --yes --reason "<b>4711</b>" ${state}`)
    const { text, tags } = await pageOf(`--last ${state}`)
    expect(tags.filter((tag) => tag === 'tr').length).toBe(1 + many.length)
    expect(many.filter((id) => !text.includes(id))).toEqual([])
    expect(text.indexOf(String(many.at(-1)))).toBeLessThan(text.indexOf(String(many[0])))
    expect(tags.filter((tag) => tag.startsWith('rect')).length).toBeLessThan(200)
    const sum = createHash('sha256')
      .update(readFileSync(file('many', many)))
      .digest('hex')
    for (const said of ['<b>4711</b>', `${userInfo().username} on ${hostname()}`, sum]) expect(text).toContain(said)
    expect(text).toMatch(/\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d\n/)
  })
})

it('what others wrote is text: messages of the service, names of lists', async () => {
  const state = world.state()
  const hostile = `</style><script>alert(1)</script><img src=x onerror='alert(1)'>&#60;&lt;`
  sandbox.setFaults(`contacts.delete:1=400(message="${hostile}")`)
  await bulk(deletion(free.slice(10, 11), state))
  sandbox.setFaults()
  const { text } = await pageOf(`--last ${state}`)
  expect(text).toContain(hostile)
  const name = '<b title="x">\u202eVIP</b>'
  await svc(['lists', 'create', '--name', name])
  await svc(['lists', 'add-contacts', name, String(free[12]), ...state.split(' ')])
  expect((await pageOf(`--last ${state}`)).text).toContain(`Add 1 contact to "${name.replace('\u202e', '\\u{202e}')}"`)
})

it('a run whose record was removed has no page', async () => {
  const state = world.state()
  await bulk(`${deletion(free.slice(13, 14), state)} --once removed`)
  await svc(`runs prune --older-than 0s --yes ${state}`)
  expect(await svc(`runs show removed -o html ${state}`)).toMatchObject({ code: 2, stdout: '' })
  expect((await svc(`runs show removed ${state}`)).code).toBe(0)
})
