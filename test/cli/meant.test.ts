/** What a mistyped line gets as advice, and lines that contradict themselves: nothing is sent of either. */
import { expect, test } from 'vitest'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox, requestsOf } = await createSandboxWorld()
const [first = '', second = ''] = sandbox.examples.contactsWithoutChats
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => `${name}@example.com`)

test.each<[line: string, advice: RegExp, not?: RegExp]>([
  ['emp list', /did you mean svc employees list\?/],
  ['em list', /see: svc --help/, /did you mean/],
  ['contacts delete --max', /did you mean --max-failures, --max-delete or --max-retry-wait\?/],
  [`contacts delete ${a} ${b} ${c}`, /find --email a@.*\n.*find --email b@.*\n.*find --email c@/],
  [`contacts delete ${a} ${b} ${c} ${d}`, /contacts match/, /--email/],
  ['contacts delete ids.txt', /svc contacts delete --file ids\.txt/],
  [
    `contacts merge ids.csv --into ${first}`,
    /the source must be 24 hexadecimal digits/,
    /--file ids/,
  ],
  [`contacts merge ${first} --into ${first.toUpperCase()}`, /into itself/],
  ['lists list --page-size 101', /--page-size/],
  ['lists list --page 0', /--page/],
  [`contacts delete ${first} --reason ${'x'.repeat(501)}`, /1 to 500 characters, not 501/],
  ['profiles add x --secret-env A --secret-file b', /--secret-env and --secret-file exclude/],
])('svc %s', async (line, advice, not = /a defect/) => {
  const { result, sent } = await requestsOf(line)
  expect([result.code, result.stdout, sent]).toEqual([2, '', []])
  expect(result.stderr).toMatch(advice)
  expect(result.stderr).not.toMatch(not)
})

test('a reason has up to 500 characters, whatever they are made of', async () => {
  for (const reason of ['x'.repeat(500), '😀'.repeat(500)])
    expect(
      await svc(['contacts', 'delete', second, '--dry-run', '--reason', reason]),
    ).toMatchObject({
      code: 0,
    })
})

test('a name that is nearly typed is put right where it is the employee, and nowhere else', async () => {
  const [ticket = ''] = sandbox.examples.assignableTickets
  const { result, sent } = await requestsOf(
    `tickets assign ${ticket} --to "robin berg" --reason "robin berg"`,
  )
  expect([result.code, sent.filter((request) => !request.startsWith('GET '))]).toEqual([6, []])
  expect(result.stderr).toContain(`--to 'Robin Berg' --reason 'robin berg'`)
})
