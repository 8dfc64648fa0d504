import { columnsFor } from '../../output/columns.ts'
import * as v from 'valibot'
import { defineCommand, examples, type Context, type Verb } from '../../cli/verb.ts'
import { exit, usageError } from '../../errors.ts'
import { rows, type Ending, type View } from '../../output/result.ts'
import { formatDuration, parseChoices, parseDuration, rehearsalFaults } from '../../values.ts'
import { grouped } from '../../words.ts'
import { commandOf } from './exec.ts'
import { seedOption } from './options.ts'
import type { Model } from './judged.ts'
import type { Case, Script } from './rehearsed.ts'

const Row = v.object({
  n: v.nullable(v.number()),
  request: v.nullable(v.string()),
  fault: v.picklist(rehearsalFaults),
  exitCodes: v.array(v.number()),
  result: v.picklist(['right', 'wrong']),
  problems: v.array(v.string()),
})
type Row = v.InferOutput<typeof Row>

const view: View<Row> = {
  columns: columnsFor('n:number', 'request', 'fault:state', 'exitCodes as EXIT', 'result:state', 'problems'),
  fields: ['n', 'request', 'fault', 'exitCodes', 'result', 'problems'],
  schema: () => v.array(Row),
}

const help = `
The script runs twice without faults; differences between the two are ignored.
Then, from the same start, once for each request that it made and each fault:

  refused     503, and svc gives up: nothing was applied
  lost        applied, but the answer is lost
  throttled   429
  killed      applied, and the svc that sent it is killed (SIGKILL)
  together    two copies of the script start at the same time (once)

After each, the same command is repeated until it ends with 0 or 3, five times
at most. It is right if the service then has the same data as without faults
(except for what receipts leave open and exit code 3 reports), nothing was sent
again that must not be, and no run or receipt contradicts the service's record.

Each rehearsal has a copy of the current folder (100 MB at most), which its
repeats share, and a state folder of its own; no SVC_ variable is passed on, and
every profile is the sandbox. Nothing else is simulated: mail that the script
sends and files that it writes elsewhere are real, each time. So svc asks first.

Exit code 0: all right; 3: something is wrong; 2: it fails without faults.
${examples('svc sandbox rehearse --yes --only lost -- sh nightly.sh', 'svc sandbox rehearse --yes --budget 5s -- sh nightly.sh')}`

export const rehearse: Verb = (sandbox, run) =>
  seedOption(defineCommand(sandbox, 'rehearse', 'try a script with every fault at each of its requests'))
    .description('Run a script against new sandboxes, with every fault at each of its requests, and judge how it ends.')
    .usage('[options] -- <command...>')
    .option('--only <faults>', `only these: ${rehearsalFaults.join(', ')}`, (text) =>
      parseChoices(text, '--only', rehearsalFaults),
    )
    .option('--budget <duration>', 'start no new rehearsal after this time', (text) => parseDuration(text, '--budget'))
    .option('--data <file>', 'begin each time with a copy of this file (made by svc sandbox start --data)')
    .argument('[command...]', 'the script and its arguments, after --')
    .addHelpText('after', help)
    .action(
      run(
        view,
        async (context, command, { only = rehearsalFaults, budget = Infinity, data, seed }) => {
          const words = commandOf(context.host, command, 'rehearse')
          await context.confirm({
            kind: 'yes-no',
            message: 'Run the script many times, with all that it does beside svc?',
          })
          const unset = Object.keys(context.host.env).filter((name) => name.startsWith('SVC_'))
          if (unset.length > 0) context.note(`not passed on to the script: ${unset.join(', ')}`)
          const { checkFolderSize } = await import('./rehearsed.ts')
          await checkFolderSize(context.host.cwd())
          return rows(rehearsals(context, { words, data, seed }, { only, budget }))
        },
        { lenient: true },
      ),
    )

/** `budget`: in milliseconds. */
async function* rehearsals(
  context: Context,
  script: Script,
  { only, budget }: { readonly only: readonly Case['kind'][]; readonly budget: number },
): AsyncGenerator<Row, Ending> {
  const { host, criticalSection } = context
  const [{ rehearseOnce }, { problemsOf }] = await Promise.all([import('./rehearsed.ts'), import('./judged.ts')])
  const beganAt = host.monotonic()
  const model = await undisturbed(context, script)
  const each = (host.monotonic() - beganAt) / 2
  const cases: Case[] = model.end.sent.flatMap((_, n) =>
    only.flatMap((kind) => (kind === 'together' ? [] : [{ kind, at: n + 1 }])),
  )
  if (only.includes('together')) cases.push({ kind: 'together', at: 0 })
  const total = formatDuration(Math.ceil((cases.length * each) / 1000) * 1000)
  context.note(`requests: ${grouped(model.end.sent.length)}, rehearsals: ${grouped(cases.length)}, at least ${total}`)
  let [made, wrong] = [0, 0]
  for (const happens of cases) {
    if (host.monotonic() - beganAt > budget) break
    const end = await criticalSection.run(() => rehearseOnce(context, script, happens))
    const problems = problemsOf(end, model)
    made += 1
    if (problems.length > 0) wrong += 1
    const request = end.sent.find(({ fault }) => fault !== null) ?? model.end.sent[happens.at - 1]
    yield {
      n: happens.at === 0 ? null : happens.at,
      request: happens.at === 0 || request === undefined ? null : `${request.method} ${request.path}`,
      fault: happens.kind,
      exitCodes: [...end.exitCodes],
      result: problems.length > 0 ? 'wrong' : 'right',
      problems,
    }
  }
  const left = cases[made]
  const leftOut = `--budget left out ${grouped(cases.length - made)} rehearsals${left?.at ? `, from request ${grouped(left.at)} on` : ''}`
  return {
    notes: [`wrong: ${grouped(wrong)} of ${grouped(made)} rehearsals`, ...(left === undefined ? [] : [leftOut])],
    ...(wrong > 0 ? { exitCode: exit.incomplete } : {}),
  }
}

/** The end that is the model for all others. Throws exit 2 when there is none. */
async function undisturbed(context: Context, script: Script): Promise<Model> {
  const [{ rehearseOnce }, { differences, isFinished }] = await Promise.all([
    import('./rehearsed.ts'),
    import('./judged.ts'),
  ])
  const run = () => context.criticalSection.run(() => rehearseOnce(context, script))
  const [end, again] = [await run(), await run()]
  for (const { lastCodes, exitCodes, stderr } of [end, again]) {
    const [code = 0] = exitCodes
    if (isFinished(code) && lastCodes[0] === end.lastCodes[0]) continue
    throw usageError(
      `without faults, the script ends with ${code}, not with 0 or 3`,
      stderr.trim().split('\n').slice(-10).join('\n') || undefined,
    )
  }
  if (end.sent.length === 0) throw usageError('the script sends no request, so there is nothing to rehearse')
  for (const text of new Set(end.stderr.match(/in this rehearsal, [^"\n]*/g))) context.note(text)
  const aside = differences(end, again)
  if (aside.length > 0) context.note(`differs by itself, and is set aside: ${aside.slice(0, 5).join('; ')}`)
  return { end, aside: new Set(aside) }
}
