/** Progress in a world whose time passes when a test says so. */
import type { Host } from '../../src/host.ts'
import { Clock } from './clock.ts'
import { Dice } from '../dice.ts'
import { Collector } from '../svc.ts'

export function meter(columns = 80) {
  const clock = new Clock(1_000_000, new Dice(1))
  const stderr = Object.assign(new Collector(), { isTTY: true })
  const host: Pick<Host, 'stderr' | 'columns' | 'after' | 'every' | 'now' | 'monotonic'> = {
    ...{ stderr, columns: () => columns, now: clock.now, monotonic: clock.now },
    after: (ms, callback) => clock.after(ms, callback),
    every: (ms, callback) => clock.every(ms, callback),
  }
  const pass = async (ms: number): Promise<void> => {
    let isOver = false
    clock.after(ms, () => (isOver = true))
    await clock.run(() => isOver)
  }
  return { host, stderr, pass }
}
