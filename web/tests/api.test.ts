import { describe, expect, it } from 'vitest';
import { Api, ApiError } from '../src/api';
import { SessionKeys, type Prompt } from '../src/lib/keys';
import { load, profileOf, save, stepsOf } from '../src/lib/profile';

interface Sent {
  url: string;
  init: RequestInit;
}

function server(answer: (sent: Sent) => Response) {
  const log: Sent[] = [];
  const send = (async (url: string, init: RequestInit) => {
    log.push({ url, init });
    return answer({ url, init });
  }) as unknown as typeof fetch;
  return { log, send };
}

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
const keyOf = ({ init }: Sent) => new Headers(init.headers).get('Authorization');
const noKeys = { get: () => null, ask: async () => null, use: () => undefined };

describe('the client', () => {
  it('puts any id into a path', async () => {
    const { log, send } = server(() => json({}));
    await new Api(noKeys, '', send).item('a/b c?#%');
    expect(log[0]!.url).toBe('/v1/items/a%2Fb%20c%3F%23%25');
  });

  it('hands on what a problem document says', async () => {
    const { send } = server(() =>
      json(
        {
          code: 'not_found',
          title: 'No such user',
          detail: 'There is no user "x".',
          hint: 'Search.',
        },
        404,
      ),
    );
    const error = await new Api(noKeys, '', send).user('x').catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 404,
      code: 'not_found',
      detail: 'There is no user "x".',
      hint: 'Search.',
    });
  });

  it('hands on whom somebody may have meant', async () => {
    const { send } = server(() =>
      json({ code: 'not_found', field: 'user', suggestions: ['ann'] }, 404),
    );
    await expect(new Api(noKeys, '', send).user('anm')).rejects.toMatchObject({
      field: 'user',
      suggestions: ['ann'],
    });
  });

  it('filters by any attribute and value', async () => {
    const { log, send } = server(() => json({}));
    const filter = { style: 'pale ale', 'a:b': 'x,y&z' };
    await new Api(noKeys, '', send).items({ limit: 2, sort: '-mean:taste', filter });
    expect(log[0]!.url).toBe(
      '/v1/items?limit=2&sort=-mean%3Ataste&filter=style:pale%20ale&filter=a%3Ab:x%2Cy%26z',
    );
  });

  it('says so when no server answers, or something else does', async () => {
    const gone = (() => Promise.reject(new TypeError('fetch failed'))) as unknown as typeof fetch;
    await expect(new Api(noKeys, '', gone).model()).rejects.toMatchObject({ code: 'unreachable' });
    const { send } = server(() => new Response('<html>Bad gateway', { status: 502 }));
    await expect(new Api(noKeys, '', send).model()).rejects.toMatchObject({ status: 502 });
  });

  it('asks for a key once for many refused requests, then uses it', async () => {
    const { log, send } = server((sent) =>
      keyOf(sent) === 'Bearer right' ? json({ criteria: [] }) : json({}, 401),
    );
    const prompts: Prompt[] = [];
    const api = new Api(
      new SessionKeys((prompt) => prompt && prompts.push(prompt), null),
      '',
      send,
    );
    const both = Promise.all([api.criteria(), api.criteria()]);
    await expect.poll(() => prompts.length).toBe(1);
    prompts[0]!.answer('wrong');
    await expect.poll(() => prompts.length).toBe(2);
    expect(prompts[1]!.refused).toBe(true);
    prompts[1]!.answer('right');
    await both;
    expect(prompts.length).toBe(2);
    await api.criteria();
    expect(keyOf(log.at(-1)!)).toBe('Bearer right');
  });

  it('fails with the refusal if there will be no key', async () => {
    const { send } = server(() => json({ code: 'unauthorized' }, 401));
    await expect(new Api(noKeys, '', send).data()).rejects.toMatchObject({
      status: 401,
      code: 'unauthorized',
    });
  });
});

describe('a newcomer', () => {
  const criteria = [
    { name: 'overall', min: 1, max: 5 },
    { name: 'taste', min: 1, max: 5 },
  ];

  it('is asked for with what was graded, on criteria that exist', () => {
    const rated = [
      { item: 'a', title: 'A', values: { overall: 4, rooms: 2 } },
      { item: 'b', title: 'B', values: {} },
      { item: 'c', title: 'C', values: { rooms: 1 } },
    ];
    expect(profileOf(rated, criteria)).toEqual([{ item: 'a', values: { overall: 4 } }]);
  });

  it('finds the ratings again, and nothing that is not one', () => {
    let kept = '';
    const storage = {
      getItem: () => kept,
      setItem: (_: string, text: string) => void (kept = text),
    };
    const rated = [{ item: 'a', title: 'A', values: { overall: 4 } }];
    save(storage, rated);
    expect(load(storage)).toEqual(rated);
    kept = JSON.stringify([
      ...rated,
      { item: 1 },
      null,
      { item: 'b', title: 'B', values: { overall: 'x' } },
    ]);
    expect(load(storage)).toEqual(rated);
    kept = '{broken';
    expect(load(storage)).toEqual([]);
  });

  it('picks whole grades on short scales, and types on others', () => {
    expect(stepsOf({ name: 'x', min: 1, max: 5 })).toEqual([1, 2, 3, 4, 5]);
    expect(stepsOf({ name: 'x', min: 2, max: 5 })).toEqual([1, 2, 3, 4, 5]);
    expect(stepsOf({ name: 'x', min: 0, max: 1 })).toEqual([0, 1]);
    expect(stepsOf({ name: 'x', min: 0, max: 100 })).toEqual([]);
    expect(stepsOf({ name: 'x', min: 3, max: 3 })).toEqual([]);
  });
});
