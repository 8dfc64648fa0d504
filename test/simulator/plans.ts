/** Plans that a person's hand has changed: they count only as svc wrote them. */
import type { Dice } from './dice.ts'
import type { SimulatedProcess } from './process.ts'
import type { Stage } from './stage.ts'

const edits: Readonly<Record<string, (text: string, dice: Dice) => string>> = {
  'another id': (text, dice) =>
    text.replace(/"(ids|pairs)":\[(\[?)"[0-9a-f]{24}"/, `"$1":[$2"${dice.hex(24)}"`),
  'one id less': (text) =>
    text.replace(/"(ids|pairs)":\[(?:\[[^\]]*\]|"[0-9a-f]{24}"),?/, '"$1":['),
  'another count': (text) => text.replace(/"unique":(\d+)/, '"unique":1$1'),
  'another target': (text, dice) =>
    text.replace(/"target":\{"id":"[0-9a-f]{24}"/, `"target": {"id":"${dice.hex(24)}"`),
  'broken into lines': (text) => JSON.stringify(JSON.parse(text), undefined, 2),
  'a line end': (text) => `${text}\n`,
  'cut off': (text, dice) => text.slice(0, dice.whole(0, text.length - 1)),
}

/** The text of a plan as a person changed it; undefined where nothing changed. */
export function editedText(
  text: string | undefined,
  dice: Dice,
  more: typeof edits = {},
): { readonly name: string; readonly edited: string } | undefined {
  const [name, edit] = dice.pick(Object.entries({ ...edits, ...more }))
  const edited = text === undefined ? undefined : edit(text, dice)
  return edited === undefined || edited === text ? undefined : { name, edited }
}

/** Applies a changed copy of a plan, which must be refused before anything is sent. */
export async function applyEdited(stage: Stage, dice: Dice, plan: string): Promise<void> {
  const found = editedText(stage.world.disk.readFile(plan)?.toString(), dice)
  if (found === undefined) return
  const path = stage.text(found.edited, 'plan')
  const process = await stage.run(['plans', 'apply', path, '--yes', '--json'])
  judgeRefused(stage, process, `a plan with ${found.name}`, [6, 10])
}

/** A command ended with one of these codes, or with that of a disk that cannot be written, and sent nothing. */
export function judgeRefused(
  { judge, world }: Stage,
  process: SimulatedProcess,
  what: string,
  codes: readonly number[],
): void {
  if (process.end === undefined || process.end === 'killed') return
  const sent = world.service.log.filter((request) => request.process === process)
  const refusals = process.hasBrokenDisk ? [...codes, 2, 10] : codes
  const isRefused = refusals.includes(process.end.code) && sent.length === 0
  const told = `${what} ends with ${process.end.code} after ${sent.length} requests`
  judge.expect(isRefused, process, told)
}
