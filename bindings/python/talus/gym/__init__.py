"""Environments for reinforcement learning, many worlds at a time: CartPole and Hopper.

    env = talus.gym.CartPole(1000)
    observations, info = env.reset(seed=1)
    observations, rewards, terminated, truncated, info = env.step(env.sample_actions())

The calls are those of gymnasium's vector environments, but neither gymnasium nor anything else is needed. Worlds are
independent, so results do not depend on how many there are beside, nor on `workers`.
"""

from .cart_pole import CartPole
from .hopper import Hopper
from .vector import Box, Discrete, VectorEnv

__all__ = ["Box", "CartPole", "Discrete", "Hopper", "VectorEnv"]
