/** The person who began a run. */
import { expect, test } from 'vitest'
import { currentActor } from '../../src/bulk/record/actor.ts'
import { realHost } from '../host.ts'

test('a user without a name is a number', () => {
  const computer = { ...realHost.computer, hostname: 'desk', userName: undefined }
  expect(currentActor({ userId: 1234, computer })).toEqual({ user: 'uid 1234', host: 'desk' })
})
