/** Plans that a person's hand has changed: they count only as svc wrote them. */
import type { Dice } from './dice.ts'
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

/** Applies a changed copy of a plan, which must be refused before anything is sent. */
export async function applyEdited(stage: Stage, dice: Dice, plan: string): Promise<void> {
  const text = stage.world.disk.readFile(plan)?.toString()
  const [name, edit] = dice.pick(Object.entries(edits))
  const edited = text === undefined ? undefined : edit(text, dice)
  if (edited === undefined || edited === text) return
  const process = await stage.run(['plans', 'apply', stage.text(edited, 'plan'), '--yes', '--json'])
  const code = process.end === 'killed' ? undefined : process.end?.code
  const sent = stage.world.service.log.filter((request) => request.process === process)
  const isRefused = (code === 6 || code === 10) && sent.length === 0
  const told = `a plan with ${name} ends with ${code} after ${sent.length} requests`
  stage.judge.expect(isRefused, process, told)
}
