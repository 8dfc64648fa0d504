/** Every option of the bulk commands, and the order of events. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { manyIds } from '../input/inputs.ts'
import { textsOf } from '../output/opened.ts'
import { typing } from '../svc.ts'
import { createBulkWorld, linesOf, type ReceiptLine, type SummaryDocument } from './bulk-world.ts'

const world = await createBulkWorld()
const { svc, bulk, file, free, sandbox, fresh } = world

const writes = (): number => sandbox.requests.filter(({ method }) => method !== 'GET').length

async function refused(line: string, options = {}): Promise<string> {
  const before = writes()
  const { code, stdout, stderr } = await svc(
    `${line} ${line.includes('--state-dir') ? '' : world.state()}`,
    options,
  )
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(writes()).toBe(before)
  return stderr
}

describe('where ids come from', () => {
  it('takes arguments, several files and standard input together, each id once', async () => {
    const [a = '', b = '', c = '', d = ''] = fresh(4)
    const files = `--file ${file('one.txt', [a, b])} --file ${file('two.csv', ['name,id', `x,${c}`, `y,${a.toUpperCase()}`])}`
    const { summary } = await bulk(`contacts delete ${b} - ${files} --yes`, { stdin: `${d}\n` })
    expect(summary.input).toMatchObject({ read: 6, unique: 4, duplicates: 2, invalid: 0 })
    expect(summary.result).toMatchObject({ deleted: 4 })
  })

  it('reads standard input only when "-" is given', async () => {
    expect(await refused('contacts delete', { stdin: free[0] })).toContain('no ids were given')
    const { summary } = await bulk('contacts delete --file - --yes', {
      stdin: fresh(2).join('\r\n'),
    })
    expect(summary.result['deleted']).toBe(2)
  })
})

describe('bad lines', () => {
  it('--rejects makes nothing live that was not', async () => {
    const bad = ['=cmd|x', '+1;=cmd|x', 'a\u001b[2J\u0007', '\u202eb', 'c,"d"', 'oops']
    const path = file('hostile;=cmd.txt', [...fresh(1), ...bad])
    const rejects = join(world.folder, 'rejects.csv')
    await bulk(
      `contacts delete --yes --file '${path}' --input-format lines --skip-invalid --rejects ${rejects}`,
    )
    const lines = readFileSync(rejects, 'utf8').trimEnd().split('\n')
    const guarded = [
      '"\'=cmd|x"',
      `"'+1;'=cmd|x"`,
      'a\\u{1b}[2J\\u{7}',
      '\\u{202e}b',
      '"c,""d"""',
      'oops',
    ]
    expect(lines.filter((line) => !line.startsWith('#'))).toEqual(guarded)
    expect(lines.filter((line) => /(?:^|;)[=+@-]/.test(line))).toEqual([])
  })

  it('leaves them out with --skip-invalid, and writes them down with --rejects', async () => {
    const ids = fresh(3)
    const path = file('mixed.txt', [ids[0] ?? '', 'oops', ids[1] ?? '', '5.07E+23', ids[2] ?? ''])
    const rejects = join(world.folder, 'rejects.txt')
    const { code, summary, stderr } = await bulk(
      `contacts delete --yes --file ${path} --skip-invalid --rejects ${rejects}`,
    )
    expect(code).toBe(0)
    expect(summary.input).toMatchObject({ read: 5, unique: 3, invalid: 2 })
    expect(stderr).toContain('2 bad lines were skipped')
    const lines = readFileSync(rejects, 'utf8').split('\n')
    expect([lines[1], lines[3]]).toEqual(['oops', '5.07E+23'])
    expect(lines[0]).toMatch(/^# .*line 2/)
    // What was mended can be read as it is.
    writeFileSync(
      rejects,
      readFileSync(rejects, 'utf8')
        .replace('oops', free[500] ?? '')
        .replace('5.07E+23', free[501] ?? ''),
    )
    expect((await bulk(`contacts delete --dry-run --file ${rejects}`)).summary.input).toMatchObject(
      {
        unique: 2,
        invalid: 0,
      },
    )
  })
})

it('a command sends 1,000,000 ids at most, also to a plan; a part of a larger input may', async () => {
  const more = file('more', [manyIds(1_000_001).trimEnd()])
  const plan = world.output('plan')
  expect(await refused(`contacts delete --file ${more} --plan ${plan} --reason many`)).toContain(
    '1,000,001 ids would be sent, a command sends 1,000,000 at most; nothing was sent\n' +
      '  send them in 2 parts: --shard 1/2 to --shard 2/2\n',
  )
  expect(existsSync(plan)).toBe(false)
  const { stdout } = await svc(
    `contacts delete --file ${more} --shard 2/2 --dry-run --json ${world.state()}`,
  )
  expect((JSON.parse(stdout) as SummaryDocument).input).toMatchObject({
    unique: 500_001,
    otherShards: 500_000,
  })
})

describe('--shard', () => {
  it('sends the parts of one file from several processes, each id once', async () => {
    const ids = fresh(250)
    const path = file('ids', ids)
    const before = sandbox.record.entries.length
    // Whatever each of them says of the size of its batches.
    for (const part of ['2/3 batches-of=7', '3/3', '1/3 batches-of=30']) {
      await bulk(
        `contacts delete --file ${path} --yes --expect 250 --max-delete 250 --shard ${part}`,
      )
    }
    const part = await svc(
      `contacts delete --file ${path} --yes --expect 100 --shard 1/3 ${world.state()}`,
    )
    expect(part).toMatchObject({ code: 2, stdout: '' })
    expect(part.stderr).toContain('250 unique ids would be sent by all shards, --expect says 100')
    const sent = sandbox.record.entries.slice(before).flatMap(({ deleted }) => deleted ?? [])
    expect(sent.toSorted()).toEqual(ids.toSorted())
  })

  it('an empty part is done, and merges are not shared', async () => {
    const parts = [1, 2].map((part) => bulk(`contacts delete ${free[600]} --yes --shard ${part}/2`))
    const [one, two] = (await Promise.all(parts)).toSorted(
      (a, b) => a.summary.input.unique - b.summary.input.unique,
    )
    expect(one).toMatchObject({
      code: 0,
      summary: { status: 'complete', input: { unique: 0, otherShards: 1 }, batches: { total: 0 } },
    })
    expect(one?.stderr).toContain('this shard is empty')
    expect(two).toMatchObject({ code: 0, summary: { result: { deleted: 1 } } })
    expect(
      await refused(`contacts merge --file ${file('p', ['source,target'])} --shard 1/2 --yes`),
    ).toContain('--shard')
  })
})

it('a workbook of receipts, of a run and of the one that resumes it', async () => {
  const [ids, state] = [world.absent(3), world.state()]
  const line = `--receipts ${world.output('xlsx')} ${state}`
  const out = line.split(' ')[1] ?? ''
  sandbox.setFaults('contacts.delete:1=401')
  await svc(`contacts delete --file ${file('ids', ids)} --yes ${line}`)
  sandbox.setFaults()
  for (const outcome of ['error', 'not-found']) {
    const [heading, ...rows] = textsOf(readFileSync(out))
    expect(heading).toEqual(['ID', 'LINE', 'OUTCOME', 'BATCH', 'ATTEMPTS', 'CODE', 'MESSAGE'])
    expect(rows.map(([id, number, what]) => [id, number, what])).toEqual(
      ids.map((id, n) => [id, `${n + 1}`, outcome]),
    )
    await svc(`runs resume --last --yes ${line}`)
  }
})

describe('-o ndjson', () => {
  it('streams receipts in the order of completion, and keeps the summary on stderr with -q', async () => {
    const ids = fresh(6)
    sandbox.setFaults('contacts.delete:1=delay(200ms)')
    const { code, stdout, stderr } = await svc(
      `contacts delete --file ${file('ids', ids)} --yes batches-of=2 --concurrency 3 -o ndjson -q ${world.state()}`,
    )
    sandbox.setFaults()
    const receipts = linesOf<ReceiptLine>(stdout)
    expect(code).toBe(0)
    expect(receipts.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    expect(receipts.slice(-2).map(({ batch }) => batch)).toEqual([1, 1])
    const [summary, ...more] = linesOf<SummaryDocument & { type: string }>(stderr)
    expect(more).toEqual([])
    expect(summary).toMatchObject({ type: 'summary', status: 'complete', result: { deleted: 6 } })
  })
})

it.each(['--receipts', '--annotate', '--skip-invalid --rejects'])(
  '%s of a file that is there is refused before anybody is asked, and that stays',
  async (option) => {
    const [there, state] = [file('there.csv', ['mine']), world.state()]
    const asked = typing('y')
    const line = `contacts delete --file ${file('ids', fresh(1))} ${option} ${there} ${state}`
    expect(await refused(line, asked)).toContain(`file "${there}" exists already`)
    expect([asked.shown(), readFileSync(there, 'utf8')]).toEqual(['', 'mine\n'])
    expect((await svc(`runs list -o ids ${state}`)).stdout).toBe('')
  },
)

it.each(['--expires 1d', '--key id_ed25519'])('%s goes with --plan only', async (option) => {
  expect(await refused(`contacts delete ${free[0]} ${option} --yes`)).toContain(
    '--expires and --key go with --plan only',
  )
})
