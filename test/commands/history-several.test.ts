/** `svc tickets history` of several tickets. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TicketMessage, Ticket } from '../../src/api/schemas.ts'
import { createSandboxWorld, type Result } from '../svc.ts'
import { canRun } from '../has-feature.ts'

const { svc, sandbox, folder, requestsOf } = await createSandboxWorld()

const { tickets } = sandbox.examples
const lines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const several = [tickets.active, tickets.noMessages, tickets.old, tickets.closed]

interface History {
  readonly ticket: Ticket
  readonly messages: readonly TicketMessage[]
  readonly nextChunkStartMessageId?: string
}

const documents = ({ stdout }: Result): History[] => JSON.parse(stdout) as History[]

function input(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('on stdout', () => {
  test('json: an array of the documents of each, in the order of the input', async () => {
    const result = await svc(`tickets history ${several.join(' ')} --json`)
    expect([result.code, result.stderr]).toEqual([0, ''])
    const alone = await Promise.all(several.map((id) => svc(`tickets history ${id} --json`)))
    expect(documents(result)).toEqual(alone.map(({ stdout }) => JSON.parse(stdout) as unknown))
    expect(result.stdout).toBe(`${JSON.stringify(documents(result), undefined, 2)}\n`)
  })

  test('the form follows from what is typed, not from how many there are', async () => {
    const file = input('one.txt', `${tickets.active}\n`)
    expect(documents(await svc(`tickets history --file ${file} --json`))).toHaveLength(1)
    expect(
      documents(
        await svc(`tickets history ${tickets.active} ${tickets.active.toUpperCase()} --json`),
      ),
    ).toHaveLength(1)
    expect(await svc('tickets history --file - --json', { stdin: '[]' })).toMatchObject({
      code: 0,
      stdout: '[]\n',
    })
  })

  test('ids come from tables and from addresses', async () => {
    const [one, other] = [tickets.active, tickets.closed].map(
      (id) => `https://app.example.com/inbox/${id}?tab=1`,
    )
    const csv = input('a.csv', `Subject,Case\nHello,${one}\nBye,${other}\n`)
    const unnamed = await svc(`tickets history --file ${csv} --json`)
    expect(unnamed.stderr).toContain('name the column with the ids: --column')
    const pasted = documents(
      await svc(`tickets history --file ${csv} --column Case --json --limit 1`),
    )
    expect(pasted.map(({ ticket }) => ticket.id)).toEqual([tickets.active, tickets.closed])
    const bad = await svc(`tickets history --file - --json`, {
      stdin: `${one}\nnone\n${one}${other}\n`,
    })
    expect([bad.code, bad.stdout]).toEqual([2, ''])
    expect(bad.stderr).toMatch(/line 2.*line 3.*the address has 2 ids in it/s)
  })

  test.each<[options: string, words: string, message: string]>([
    ['--cursor 1', 'a a', '--cursor is only for one ticket'],
    ...['', '-o html', '-o csv', '-o ids', '-o table', '-o xlsx', '-o transcript']
      .filter(canRun)
      .map(
        (format) =>
          [format, 'a a', 'several tickets need -o json or -o ndjson'] satisfies [
            string,
            string,
            string,
          ],
      ),
    ['-o csv', '--file x.txt', 'several tickets need -o json or -o ndjson'],
    ['--file x.txt -o json', 'a', '--file cannot be used with a ticket'],
    ['-o json', 'a nonsense', 'the ticket must be 24 hexadecimal digits'],
  ])('%s with %s is refused, and nothing is asked for', async (options, words, message) => {
    const { result, sent: requests } = await requestsOf(
      `tickets history ${words.replaceAll(/\ba\b/g, tickets.active)} ${options}`,
    )
    expect([result.code, result.stdout, requests]).toEqual([2, '', []])
    expect(result.stderr).toContain(message)
  })
})

test('a ticket that cannot be read midway: the document stays open, and the error has the command for the rest', async () => {
  sandbox.setFaults('tickets.history:3=403')
  const result = await svc(
    `tickets history ${tickets.fourChunks} ${tickets.closed} --json --error-format json`,
  )
  sandbox.setFaults()
  expect(result.code).toBe(5)
  expect(() => documents(result)).toThrow(SyntaxError)
  const [{ error }] = lines(result.stderr) as [{ error: { cursor: string; hint: string } }]
  expect(error).toMatchObject({
    ticketId: tickets.fourChunks,
    hint: expect.stringContaining(
      `svc tickets history ${tickets.fourChunks} --cursor ${error.cursor}`,
    ) as string,
  })
})
