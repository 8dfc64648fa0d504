/** Commands that read what others wrote: whole, cut, sorted, joined or projected. What is not whole is not taken for whole. */
import type { Dice } from './dice.ts'
import { begin } from './later.ts'
import type { SimulatedProcess } from './process.ts'
import type { Stage } from './stage.ts'
import { typeFile } from './typed.ts'

const formats = ['ids', 'csv', 'table', 'ndjson', 'json'] as const
type Format = (typeof formats)[number]

/** Where an output has the ids of its rows. */
const idsIn: Readonly<Record<Format, RegExp>> = {
  ids: /^([0-9a-f]{24})$/gm,
  csv: /^([0-9a-f]{24})(?:,|$)/gm,
  table: /^([0-9a-f]{24})(?: |$)/gm,
  ndjson: /"contact":\s*\{\s*"id":\s*"([0-9a-f]{24})"/g,
  json: /"contact":\s*\{\s*"id":\s*"([0-9a-f]{24})"/g,
}

/** A file that a read was written to with `>`. */
interface Output {
  readonly text: string
  readonly format: Format
  readonly ids: readonly string[]
  /** `incomplete`: the read failed. `killed`: it was ended at any point, or behind its last row. `cut`: a person took the rest away. */
  readonly kind: 'whole' | 'incomplete' | 'killed' | 'cut'
}

async function readMembers(stage: Stage, dice: Dice, format: Format): Promise<Output> {
  const list = dice.pick(stage.stock.lists)
  const words = ['lists', 'members', list, '-o', format]
  const {
    stdout,
    end,
    code = 0,
  } = await stage.disturbed(dice, words, {
    machine: dice.pick(stage.world.machines),
  })
  const ids = [...stdout.matchAll(idsIn[format])].map(([, id = '']) => id)
  const isIncomplete = code !== 0
  const isAllThere = stage.membersOf(list).every((id) => ids.includes(id))
  // A signal in the last moment comes too late for the output, and in time for the exit code.
  const isLate = code > 128 && isAllThere
  const kind = end === 'killed' || isLate ? 'killed' : isIncomplete ? 'incomplete' : 'whole'
  return { text: stdout, format, ids, kind }
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')
const joined = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('')

/** Changes of an output on its way to a reader. A document has no lines. */
const alterations: Readonly<Record<string, (text: string, dice: Dice) => string>> = {
  nothing: (text) => text,
  sorted: (text) => joined(lines(text).sort()),
  shuffled: (text, dice) => joined(dice.some(lines(text), Infinity)),
  doubled: (text) => `${text}${text}`,
  capitals: (text) => text.toUpperCase(),
  withoutBlanks: (text) => text.replaceAll(' ', ''),
  firstColumn: (text) => joined(lines(text).map((line) => line.split(/[ ,\t]/)[0] ?? '')),
  windows: (text) => text.replaceAll('\n', '\r\n'),
}

/** A person keeps the beginning: some lines, or all up to a sign. */
const cuts: typeof alterations = {
  head: (text, dice) => joined(lines(text).slice(0, dice.whole(1, lines(text).length))),
  cut: (text, dice) => text.slice(0, dice.whole(0, text.length)),
}

/** Formats of which a cut leaves lines that can be read. */
const hasLines: readonly Format[] = ['ids', 'csv', 'ndjson']

/** The part of an output that a person keeps. */
function cutOff(output: Output, dice: Dice): Output {
  const cut = cuts[dice.pick(Object.keys(cuts))]
  const text = cut?.(output.text, dice) ?? ''
  if (text === output.text) return output
  const ids = [...text.matchAll(idsIn[output.format])].map(([, id = '']) => id)
  return { ...output, text, ids, kind: 'cut' }
}

/** Alterations after which the rows of a format can still be read. */
const readable: Readonly<Record<Format, readonly string[]>> = {
  ids: [
    'nothing',
    'sorted',
    'shuffled',
    'doubled',
    'capitals',
    'withoutBlanks',
    'firstColumn',
    'windows',
  ],
  // A name may have line breaks, which a cell keeps and `cut` does not.
  csv: ['nothing', 'windows'],
  table: ['firstColumn'],
  ndjson: ['nothing', 'sorted', 'shuffled', 'doubled', 'windows'],
  json: ['nothing', 'windows'],
}

const isIdLine = /^([0-9a-f]{24})$/gim

async function subtract(stage: Stage, inputs: readonly Output[], files: readonly string[]) {
  const process = await stage.run(['ids', 'subtract', ...files])
  if (!judgeReader(stage, process, inputs)) return
  const [first = [], others = []] = inputs.map(({ ids }) => ids)
  const wanted = new Set(first.filter((id) => !others.includes(id)))
  const printed = [...process.stdout.matchAll(isIdLine)].map(([, id = '']) => id.toLowerCase())
  const isSame = printed.length === wanted.size && printed.every((id) => wanted.has(id))
  stage.judge.claimOf(process)(isSame, `${printed.length} ids, ${wanted.size} remain`)
}

/** Whether a reader's inputs were whole and it took them; what a failed read left must be refused. */
function judgeReader(stage: Stage, process: SimulatedProcess, inputs: readonly Output[]): boolean {
  const claim = stage.judge.claimOf(process)
  const isIncomplete = inputs.some(({ kind }) => kind === 'incomplete')
  // One that was killed, by a power loss for example, says nothing of its inputs.
  const { code } = process
  if (code === undefined) return false
  if (isIncomplete) {
    const { format } = inputs.find(({ kind }) => kind === 'incomplete') ?? {}
    claim(code === 2, `exit ${code} for ${format} that is incomplete`)
    const sent = stage.world.service.log.filter((sent) => sent.process === process)
    claim(sent.length === 0, `${sent.length} requests for it`)
  }
  const isWhole = inputs.every(({ kind, ids }) => kind === 'whole' && ids.length > 0)
  if (isWhole) claim(code === 0, `exit ${code} for whole inputs`)
  // A cut line may have a whole id, or none.
  const isCut = inputs.every(({ kind }) => kind === 'whole' || kind === 'cut')
  if (isCut) claim(code === 0 || code === 2, `exit ${code} for what is cut`)
  return isCut && code === 0
}

/** One or two outputs of reads, as people hand them on. */
async function outputs(stage: Stage, dice: Dice) {
  const all: Output[] = []
  const files: string[] = []
  for (let n = 0; n < 2; n += 1) {
    const format = dice.pick(formats)
    const read = await readMembers(stage, dice.fork(), format)
    const isCut = hasLines.includes(format) && dice.chance(0.2)
    const output = isCut ? cutOff(read, dice) : read
    const anyhow = Object.keys(alterations).filter(
      (name) => format !== 'json' || name === 'nothing',
    )
    const names = output.kind === 'incomplete' && format !== 'ndjson' ? anyhow : readable[format]
    const name = output.kind === 'cut' ? 'nothing' : dice.pick(names)
    const alter = alterations[name] ?? ((text: string) => text)
    const ending = dice.pick(['txt', format === 'table' ? 'txt' : format.replace('ids', 'txt')])
    all.push(output)
    files.push(stage.text(alter(output.text, dice), ending))
  }
  return { all, files }
}

export const pipes = {
  /** The ids of one read are subtracted from those of another. */
  async subtract(stage: Stage, dice: Dice) {
    const { all, files } = await outputs(stage, dice)
    await subtract(stage, all, files)
  },
  /** The output of a read is the input of a bulk command. */
  async pipe(stage: Stage, dice: Dice) {
    const { all, files } = await outputs(stage, dice)
    const [output, file] = [all[0], files[0]]
    if (output === undefined || file === undefined) return
    const job = typeFile(stage, dice, file, output.ids)
    if ((output.kind === 'whole' || output.kind === 'cut') && output.ids.length > 0)
      return begin(stage, dice, job)
    judgeReader(stage, await stage.run(job.words), [output])
  },
}
