/** Laws for each bulk operation. */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'
import { bulkOperations } from '../../src/api/operations.ts'
import {
  acceptable,
  acceptableOf,
  figuresOf,
  idArraysOf,
  isDone,
  isOutcome,
  outcomeFacts,
  outcomes,
  outcomesOfOperation,
  reopenable,
} from '../../src/runs/outcomes.ts'
import { commandOf, operationOf } from '../../src/runs/operations/operations.ts'
import { totalsOf, summarize } from '../../src/runs/totals.ts'
import { Items } from '../../src/runs/items.ts'
import { RunState } from '../../src/runs/state.ts'
import { SummaryDocument as Summary } from '../../src/runs/summary.ts'
import { receiptsOf } from '../runs/bulk-world.ts'
import { createOperationWorld, type OperationWorld } from './runs-of.ts'

interface ListedRun {
  readonly operation: string
  readonly ids: number
  readonly result: Readonly<Record<string, number>>
  readonly left: number
  readonly exitCode: number
}

const strict = v.strictObject({
  ...Summary.entries,
  result: v.strictObject(Summary.entries.result.entries),
})

const isOfDone = ({ outcome }: { readonly outcome: string }): boolean =>
  isOutcome(outcome) && isDone(outcome)

describe.each(bulkOperations)('%s', (name) => {
  const { words, item: thing, pairs, undo } = operationOf(name)
  const command = commandOf(name)
  let world: OperationWorld
  beforeAll(async () => {
    world = await createOperationWorld(name)
  })

  const listed = async (state: string): Promise<ListedRun | undefined> => {
    const { stdout } = await world.svc(`runs list --json ${state}`)
    return (JSON.parse(stdout) as ListedRun[])[0]
  }

  /** The name of a list or an employee that no other one is nearly called. */
  const nameOfOne = async (kind: 'list' | 'employee'): Promise<string> => {
    const { stdout } = await world.svc(`${kind}s list --json`)
    const all = JSON.parse(stdout) as readonly Readonly<Record<string, string>>[]
    const names = all.map((each) => each['name'] ?? `${each['firstName']} ${each['lastName']}`)
    const plain = names.filter((called) => /^[A-Z][a-z]+ \w+$/.test(called))
    const alike = (called: string) =>
      names.filter((other) => other.toLowerCase() === called.toLowerCase())
    return plain.find((called) => alike(called).length === 1) ?? ''
  }

  /** The line with a profile that asks before each change. */
  const asking = (line: string) =>
    world.svc(`${line} ${world.state()}`, { profile: { protected: true } })

  test('its request is another one for each id, other party, list and employee', () => {
    const idOf = (n: number): string => String(n).padStart(24, '0')
    const requestOf = (id: number, other: number, list: number) => {
      const parameters = { list: { id: idOf(list) } }
      const batch = { operation: name, ids: [idOf(id)], other: idOf(other), parameters }
      return JSON.stringify(operationOf(name).request(batch, batch.ids))
    }
    const request = requestOf(1, 2, 3)
    expect(requestOf(4, 2, 3)).not.toBe(request)
    expect(requestOf(1, 4, 3) === request).toBe(pairs === undefined)
    expect(requestOf(1, 2, 4) === request).toBe(name !== 'lists.add-contacts')
  })

  test('a run: its figures are in the schema and add up, and runs list agrees with them', async () => {
    const { bulk, output, state } = await createOperationWorld(name)
    const [receipts, folder] = [output(), state()]
    const { code, summary } = await bulk(
      `${world.command(3)} --yes --receipts ${receipts} ${folder}`,
    )
    expect(code).toBe(0)
    expect(v.safeParse(strict, summary).issues).toBeUndefined()
    expect(Object.keys(summary.result)).toEqual(figuresOf(name).map((figure) => figure.name))
    expect(receiptsOf(receipts).every(isOfDone)).toBe(true)
    const { result } = summary
    expect(await listed(folder)).toMatchObject({ operation: name, ids: 3, result, left: 0 })
  })

  test('things that do not exist: every outcome has its figure and its ids, and accepted ones count as done', async () => {
    const [receipts, folder] = [world.output(), world.state()]
    const { code, summary } = await world.bulk(
      `${world.command(2, { absent: true })} --yes batches-of=1 --receipts ${receipts} ${folder}`,
    )
    const ended = receiptsOf(receipts)
    const countOf = (outcome: string) => ended.filter((each) => each.outcome === outcome).length
    for (const { name: figure, outcome } of figuresOf(name).filter(({ isCount }) => !isCount))
      expect([figure, summary.result[figure]]).toEqual([figure, countOf(outcome)])
    const arrays = summary as unknown as Record<string, unknown[]>
    for (const [array, outcome] of idArraysOf(name))
      expect([array, arrays[array]?.length]).toEqual([array, countOf(outcome)])
    expect(v.safeParse(strict, summary).issues).toBeUndefined()
    const exitCode = ended.every(isOfDone) ? 0 : 3
    expect(code).toBe(exitCode)
    expect(await listed(folder)).toMatchObject({ exitCode, result: summary.result })
  })

  test('the dry run and the question say each condition and flag', async () => {
    for (const { label, words: more } of world.onlyWith) {
      const line = `${world.command(2)} ${more}`
      const dry = await world.svc(`${line} --dry-run`)
      const asked = await asking(line)
      for (const { stdout, stderr } of [dry, asked]) expect(stdout + stderr).toContain(label)
    }
  })

  test('its words are in the dry run and in the question', async () => {
    const dry = await world.svc(`${world.command(2)} --dry-run`)
    const verb = words.verb.toLowerCase()
    expect([dry.code, dry.stderr]).toEqual([0, expect.stringContaining(`run: ${verb} 2 ${thing}s`)])
    expect(dry.stdout).toMatch(/^would be sent +\d$/m)
    const asked = await asking((world.onTarget ?? world.command)(2))
    const to = world.onTarget === undefined ? ' on' : ' to '
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringContaining(`needed: ${words.verb} 2 ${thing}s${to}`),
    ])
  })

  test('a name that is nearly typed is refused with the line to type', async () => {
    for (const { kind, id, line } of world.withParty) {
      const called = await nameOfOne(kind)
      const typed = called.toLowerCase()
      const words = [...line.split(' ').map((word) => (word === id ? typed : word)), '--dry-run']
      const refused = await world.svc(words)
      const why = `no ${kind} is called "${typed}", but one is called "${called}"`
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(why)])
      const [, exact = ''] = /^ +svc (.*)$/m.exec(refused.stderr) ?? []
      expect(exact).toContain(called)
      expect(await world.svc(exact)).toMatchObject({ code: 0 })
    }
  })

  test('a guess after a lost answer says how many were changed at least and at most', async () => {
    const other = await createOperationWorld(name)
    const line = `${other.command(2)} --yes --concurrency 1 batches-of=1`
    const { summary, stderr } = await other.under(`${name}:1=drop-after-apply`, line)
    const countOf = (outcome: string): number => {
      const figure = figuresOf(name).find((each) => !each.isCount && each.outcome === outcome)
      return summary.result[figure?.name ?? ''] ?? 0
    }
    for (const outcome of outcomesOfOperation(name)) {
      const { guessOf, meaning } = outcomeFacts(outcome)
      if (guessOf === undefined) continue
      const [guesses, certain] = [countOf(outcome), countOf(guessOf)]
      expect([outcome, guesses > 0]).toEqual([outcome, true])
      const note =
        `${guesses} ${outcome}: ${meaning}; ` +
        `between ${certain} and ${certain + guesses} were ${guessOf} by this run`
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(note)
    }
  })

  test('a stopped run is resumed, a refused batch is sent again, and either is done then', async () => {
    const stopped = [
      ['401', 4, ''],
      ['422', 3, '--outcome error'],
    ] as const
    for (const [fault, code, again] of stopped) {
      const other = await createOperationWorld(name)
      const folder = other.state()
      const line = `${other.command(2)} --yes --concurrency 1 ${folder}`
      const ended = await other.under(`${name}:1=${fault}`, line)
      expect([fault, ended.code]).toEqual([fault, code])
      const resumed = await other.bulk(`runs resume ${ended.summary.run} ${again} --yes ${folder}`)
      const result = { error: 0, notAttempted: 0 }
      expect(resumed).toMatchObject({ code: 0, summary: { result } })
      expect(await listed(folder)).toMatchObject({ ids: 2, left: 0, exitCode: 0 })
    }
  })

  test('the input is written again with the outcomes of the receipts', async () => {
    const [annotated, receipts] = [world.output('csv'), world.output()]
    await world.bulk(
      `${world.command(2, { absent: true })} --yes --annotate ${annotated} --receipts ${receipts}`,
    )
    const rows = readFileSync(annotated, 'utf8').trimEnd().split(/\r?\n/)
    expect(rows[0]).toMatch(/OUTCOME,REASON$/)
    for (const { id, outcome } of receiptsOf(receipts))
      expect(rows.find((row) => row.includes(id))?.split(',')).toContain(outcome)
  })

  test('done, acceptable and open outcomes agree with the exit code, --accept and runs list', async () => {
    for (const outcome of outcomesOfOperation(name)) {
      const facts = outcomeFacts(outcome)
      const items = Items.ofIds([], () => 0)
      const totals = totalsOf(new RunState({ operation: name, parameters: {}, items }))
      totals.idCounts[outcome] = 1
      const count = figuresOf(name).find((figure) => figure.isCount && figure.outcome === outcome)
      if (count !== undefined) totals.counts[count.name] = 1
      if (facts.guessOf !== undefined) totals.guessesAfterSilence = 1
      const told = summarize(name, totals, {})
      const accepted = summarize(name, totals, { accept: acceptable })
      expect([outcome, told.exitCode === 0, accepted.exitCode === 0]).toEqual([
        outcome,
        facts.isDone,
        facts.isDone || facts.isAcceptable,
      ])
    }
  })

  test('--accept takes its own outcomes alone, and another is exit 2', async () => {
    const other = await createOperationWorld(name)
    const own = acceptableOf(name)
    for (const outcome of acceptable) {
      const { code, stderr } = await other.svc(`${other.command(1)} --dry-run --accept ${outcome}`)
      const isOwn = own.includes(outcome)
      const hasToldAll = own.every((told) => stderr.includes(told))
      expect([outcome, code, isOwn || hasToldAll]).toEqual([outcome, isOwn ? 0 : 2, true])
    }
  })

  test('help and completion know it', async () => {
    const { svc } = world
    expect((await svc(`${command} --help`)).stdout).toContain(thing)
    const bulk = (await svc('help bulk')).stdout.replaceAll(/\s+/g, ' ')
    expect(bulk).toContain(command)
    const told = (await svc('help bulk')).stdout.replaceAll(/\s+/g, ' ')
    for (const outcome of outcomesOfOperation(name)) expect(told).toContain(` ${outcome} `)
    const typed = (await svc(['__complete', '--', ...command.split(' '), '--accept', ''])).stdout
    const help = (await svc(`${command} --help --all`)).stdout.replaceAll(/\s+/g, ' ')
    const [, listed = ''] = /outcomes that count as done: ([a-z-]+(?:, [a-z-]+)*)/.exec(help) ?? []
    const own = acceptableOf(name)
    expect(listed).toBe(own.join(', '))
    for (const outcome of acceptable)
      expect([outcome, typed.includes(outcome)]).toEqual([outcome, own.includes(outcome)])
  })

  test('a name is used for the same job only with the same parameters', async () => {
    const { svc, state, command: lineOf, onlyWith } = await createOperationWorld(name)
    const folder = state()
    const line = `${lineOf(2)} --once job --yes ${folder}`
    expect((await svc(line)).code).toBe(0)
    expect((await svc(line)).stderr).toContain('nothing was sent')
    for (const { label, words: more } of onlyWith) {
      const other = await svc(`${line} ${more}`)
      expect([other.code, other.stderr]).toEqual([2, expect.stringContaining(`  ${label}: `)])
    }
  })

  test('it can be undone, or undo says why not', async () => {
    const other = await createOperationWorld(name)
    const folder = other.state()
    await other.bulk(`${other.command(1)} --yes ${folder}`)
    const undone = await other.svc(`runs undo --last --yes --json ${folder}`)
    const isPossible = typeof undo !== 'string'
    const told = isPossible ? '"unique": 1,' : undo
    expect([undone.code, undone.stdout + undone.stderr]).toEqual([
      isPossible ? 0 : 2,
      expect.stringContaining(told),
    ])
  })
})

test('an outcome that is not done says why, and can be accepted or sent again', () => {
  for (const outcome of outcomes.filter((each) => !isDone(each))) {
    const { reason, meaning } = outcomeFacts(outcome)
    expect([outcome, reason !== '', meaning !== '']).toEqual([outcome, true, true])
    expect([outcome, acceptable.includes(outcome) || reopenable.includes(outcome)]).toEqual([
      outcome,
      true,
    ])
  }
})
