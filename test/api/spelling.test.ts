/** A name that was probably meant is not suggested, or one that is nothing like it is. */
import { expect, it } from 'vitest'
import { nearest } from '../../src/api/spelling.ts'

it('letters that are swapped, missing or of another case are one mistake each', () => {
  const near = ['prdo', 'PROD', 'st'].map((word) => nearest(word, ['prod', 'staging'])[0])
  expect(near).toEqual(['prod', 'prod', undefined])
  expect(nearest('a😀b', ['ab'])).toEqual(['ab'])
})
