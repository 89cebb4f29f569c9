"""Fit a model, ask it, and measure it, on made-up restaurants."""

import palate

ratings = palate.synthesize(users=500, items=120, seed=1)
train, test = palate.split(ratings, 0.2, seed=7)

model = palate.Adaptive().fit(train)
print(model.choice_)

user = train.user_ids[0]
ids, scores = model.recommend(user, n=5, weights={"service": 2.0})
for item, score in zip(ids, scores):
    print(f"{item}\t{score:.3f}")

print(model.explain(user, ids[0]))
print(palate.evaluate(model, test)["ndcg@10"])

model.save("restaurants.palate")
again = palate.load("restaurants.palate")
print(again.recommend_for({ids[0]: {"overall": 5, "food": 4.5}}, n=3).ids)
