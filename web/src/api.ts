// Everything that is asked of a server goes through here. The types are those of the HTTP contract:
// contract.d.ts is made from server/openapi.json whenever the explorer is built, checked or tested.

import type { components } from './contract';

type Schemas = components['schemas'];

export type ByCriterion<T = number> = Record<string, T>;
export type Criterion = Schemas['Criterion'];
export type User = Schemas['User'];
export type Item = Schemas['Item'];
export type Attribute = Schemas['AttributeList']['attributes'][number];
export type Rating = Schemas['RatingList']['ratings'][number];
export type Recommendation = Schemas['Recommendation'];
export type RecommendationList = Schemas['RecommendationList'];
export type Explanation = Schemas['Explanation'];
export type SimilarList = Schemas['SimilarList'];
export type Basis = RecommendationList['basis'];
export type Weights = Schemas['Weights'];
export type Model = Schemas['Model'];
export type ModelFilter = Model['filters'][number];
export type Choice = Schemas['Choice'];
export type ChoiceStep = Schemas['ChoiceStep'];
export type GraphState = Model['state'];
export type Data = Schemas['Data'];
export type DataCriterion = Data['criteria'][number];
export type Service = Schemas['Service'];

/** The explorer leaves out a criterion that was not rated; the contract would also take null. */
export type ProfileRating = Schemas['ProfileRating'] & { values: ByCriterion };
/** Whose list it is: someone in the data, or ratings given here and now. */
export type Subject = { user: string } | { profile: ProfileRating[] };

/** A problem document, or what stands for one if no server answered. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    readonly detail: string,
    readonly hint?: string,
    /** What in the request is wrong: 'user' if nobody has this id. */
    readonly field?: string,
    /** Ids of people that may have been meant. */
    readonly suggestions: readonly string[] = [],
  ) {
    super(detail || title);
  }
}

const unreachable = () =>
  new ApiError(
    0,
    'unreachable',
    'The server does not answer',
    'It was stopped, or the connection to it is broken.',
    'Start it with palate serve, then try again.',
  );

async function problemOf(response: Response): Promise<ApiError> {
  try {
    const problem = (await response.json()) as Partial<Schemas['Problem']>;
    return new ApiError(
      response.status,
      problem.code ?? 'unknown',
      problem.title ?? response.statusText,
      problem.detail ?? '',
      problem.hint,
      problem.field,
      problem.suggestions,
    );
  } catch {
    return new ApiError(
      response.status,
      'unknown',
      `Answer ${response.status}`,
      response.statusText,
    );
  }
}

/** Which items, and in which order. */
export interface ItemQuery {
  q?: string;
  limit: number;
  after?: string | undefined;
  /** 'title', '-raters', '-mean:taste'; by id if absent. */
  sort?: string | undefined;
  /** Attribute and the value that it has to have. */
  filter?: Record<string, string>;
}

export interface Keys {
  get(): string | null;
  /** Asks the person for another key; null if there will be none. */
  ask(refused: string | null): Promise<string | null>;
}

export class Api {
  constructor(
    private readonly keys: Keys,
    private readonly base = '',
    private readonly send: typeof fetch = (...args) => fetch(...args),
  ) {}

  criteria = (signal?: AbortSignal) =>
    this.get<Schemas['Criteria']>('/v1/criteria', {}, signal).then((r) => r.criteria);

  users = (q: string, limit: number, after?: string, signal?: AbortSignal) =>
    this.get<Schemas['UserList']>('/v1/users', { q, limit, after }, signal);

  user = (id: string, signal?: AbortSignal) =>
    this.get<User>(`/v1/users/${encodeURIComponent(id)}`, {}, signal);

  ratings = (id: string, signal?: AbortSignal) =>
    this.get<Schemas['RatingList']>(`/v1/users/${encodeURIComponent(id)}/ratings`, {}, signal).then(
      (r) => r.ratings,
    );

  items = ({ filter = {}, ...query }: ItemQuery, signal?: AbortSignal) => {
    // The colon between attribute and value is the first that is not encoded.
    const wanted = Object.entries(filter).map((pair) => pair.map(encodeURIComponent).join(':'));
    return this.get<Schemas['ItemList']>('/v1/items', { ...query, filter: wanted }, signal);
  };

  attributes = (signal?: AbortSignal) =>
    this.get<Schemas['AttributeList']>('/v1/attributes', {}, signal).then((r) => r.attributes);

  item = (id: string, signal?: AbortSignal) =>
    this.get<Item>(`/v1/items/${encodeURIComponent(id)}`, {}, signal);

  similar = (id: string, top: number, signal?: AbortSignal) =>
    this.get<SimilarList>(`/v1/items/${encodeURIComponent(id)}/similar`, { top }, signal);

  recommend = (
    question: { subject: Subject; weights: Weights; top: number; cursor?: string },
    signal?: AbortSignal,
  ) => {
    const { subject, cursor, ...rest } = question;
    const body: Schemas['RecommendIn'] = {
      ...subject,
      ...rest,
      attributions: true,
      ...(cursor ? { cursor } : {}),
    };
    return this.post<RecommendationList>('/v1/recommendations', body, signal);
  };

  explain = (subject: Subject, item: string, weights: Weights, signal?: AbortSignal) => {
    const body: Schemas['ExplainIn'] = { ...subject, item, weights };
    return this.post<Explanation>('/v1/explanations', body, signal);
  };

  model = (signal?: AbortSignal) => this.get<Model>('/v1/model', {}, signal);
  data = (signal?: AbortSignal) => this.get<Data>('/v1/data', {}, signal);
  service = (signal?: AbortSignal) => this.get<Service>('/v1/service', {}, signal);

  private get<T>(
    path: string,
    query: Record<string, string | number | readonly string[] | undefined>,
    signal?: AbortSignal,
  ): Promise<T> {
    const parts: string[] = [];
    for (const [name, value] of Object.entries(query)) {
      if (typeof value === 'object') parts.push(...value.map((one) => `${name}=${one}`));
      else if (value !== undefined && value !== '')
        parts.push(`${name}=${encodeURIComponent(value)}`);
    }
    const text = parts.join('&');
    return this.request<T>(text ? `${path}?${text}` : path, {}, signal);
  }

  private post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    };
    return this.request<T>(path, init, signal);
  }

  private async request<T>(path: string, init: RequestInit, signal?: AbortSignal): Promise<T> {
    let key = this.keys.get();
    for (;;) {
      const headers = new Headers(init.headers);
      headers.set('Accept', 'application/json');
      if (key) headers.set('Authorization', `Bearer ${key}`);
      let response: Response;
      try {
        response = await this.send(this.base + path, {
          ...init,
          headers,
          ...(signal ? { signal } : {}),
        });
      } catch (error) {
        throw signal?.aborted ? error : unreachable();
      }
      if (response.ok) return (await response.json()) as T;
      const problem = await problemOf(response);
      if (response.status !== 401) throw problem;
      const next = await this.keys.ask(key);
      if (next === null) throw problem;
      key = next;
    }
  }
}
